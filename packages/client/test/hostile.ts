// What a server may answer, to do harm or by mistake, and what is made of it.

/** What is read: the whole answer, or why it is none. */
export type Expected = { readonly status: number; readonly body: string; readonly isKept: boolean } | RegExp;

const read = (status: number, body: string, isKept = true): Expected => ({ status, body, isKept });
const noHttp = (problem: string): RegExp => new RegExp(`this is no HTTP/1\\.1: .*${problem}`);
const brokeOff = /has closed the connection/;
const tooLarge = /an answer of more than 1000 bytes; .* raise maxBodyBytes/;

const ok = "HTTP/1.1 200 OK\r\n";
const sized = (length: string | number, body = "") => `${ok}content-length: ${length}\r\n\r\n${body}`;
const chunked = (body: string, head = "") => `${ok}${head}transfer-encoding: chunked\r\n\r\n${body}`;
const header = (line: string) => `${ok}${line}\r\ncontent-length: 1\r\n\r\na`;
const many = (count: number, text: string) => text.repeat(count);

/** To a GET that takes at most 1,000 bytes, after which the server hangs up. */
export const answers: readonly (readonly [name: string, answer: string, expected: Expected])[] = [
  // What is right, for comparison.
  ["a length", sized(5, "hello"), read(200, "hello")],
  ["a length of nothing", sized(0), read(200, "")],
  ["chunks", chunked("5\r\nhello\r\n0\r\n\r\n"), read(200, "hello")],
  [
    "chunks in capital letters, with leading zeros",
    chunked("00A\r\n0123456789\r\n000\r\n\r\n"),
    read(200, "0123456789"),
  ],
  ["chunks with extensions and trailers", chunked("1;a=b\r\na\r\n0\r\nx: y\r\n\r\n"), read(200, "a")],
  ["no length", `${ok}\r\nhello`, read(200, "hello", false)],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", read(200, "a", false)],
  ["a tab within a header", header("x: a\tb"), read(200, "a")],
  ["bytes above ASCII within a header", header("x: \xe4\xff"), read(200, "a")],
  ["no words after the code", "HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na", read(200, "a")],
  ["an interim answer", `HTTP/1.1 103 Early\r\nx: y\r\n\r\n${sized(1, "a")}`, read(200, "a")],

  // Ends of lines and zeros where another reader on the way would see something else.
  ["a bare LF after the status", "HTTP/1.1 200 OK\ncontent-length: 1\r\n\r\na", noHttp("a control character")],
  ["bare LFs only", "HTTP/1.1 200 OK\ncontent-length: 1\n\na", brokeOff],
  ["a bare LF within a header", header("x: a\ny: b"), noHttp("a header")],
  ["a bare LF that hides a length", header("x: a\ncontent-length: 0"), noHttp("a header")],
  ["a bare CR within a header", header("x: a\rcontent-length: 0"), noHttp("a header")],
  ["a NUL within a header", header("x: a\0b"), noHttp("a header")],
  ["a NUL within a name", header("x\0: a"), noHttp("a header")],
  ["a DEL within a header", header("x: a\x7f"), noHttp("a header")],
  ["a bare CR within the status", "HTTP/1.1 200 \rOK\r\n\r\n", noHttp("a control character")],
  ["a bare LF within an interim answer", `HTTP/1.1 103 x\r\nx: a\nb: c\r\n\r\n${sized(1, "a")}`, noHttp("a header")],
  ["a line that goes on", header("x: a\r\n b"), noHttp("a header")],
  ["a space before the colon", header("content-length : 0"), noHttp("a header")],
  ["a space before the name", header(" x: a"), noHttp("a header")],
  ["no name", header(": a"), noHttp("a header")],
  ["no colon", header("x"), noHttp("a header")],
  ["a name in brackets", header("(x): a"), noHttp("a header")],

  // Lengths on which two readers would not agree.
  ["two lengths that differ", `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, noHttp("a length")],
  ["two lengths that are the same", `${ok}content-length: 1\r\ncontent-length: 1\r\n\r\na`, noHttp("a length")],
  ["a list of lengths", sized("1, 1", "a"), noHttp("a length")],
  ["a length below nothing", sized(-1), noHttp("a length")],
  ["a length with a sign", sized("+1", "a"), noHttp("a length")],
  ["a length in sixteens", sized("0x1", "a"), noHttp("a length")],
  ["a length that no number holds", sized("9".repeat(20)), tooLarge],
  ["a length of nothing at all", sized(""), noHttp("a length")],
  ["a length and chunks", chunked("1\r\na\r\n0\r\n\r\n", "content-length: 5\r\n"), read(200, "a", false)],
  ["more than the length", sized(1, "ab"), read(200, "a", false)],
  ["less than the length", sized(9, "hello"), brokeOff],
  ["another answer that nobody has asked for", `${sized(1, "a")}${sized(1, "b")}`, read(200, "a", false)],
  ["a body that a code without one brings", "HTTP/1.1 204 x\r\ncontent-length: 1\r\n\r\na", read(204, "", false)],

  // Chunks.
  ["a size that is none", chunked("x\r\n"), noHttp("a chunk of size")],
  ["a size below nothing", chunked("-1\r\n"), noHttp("a chunk of size")],
  ["a size with a space before", chunked(" 1\r\na\r\n0\r\n\r\n"), noHttp("a chunk of size")],
  ["a size that no number holds", chunked(`${"f".repeat(20)}\r\n`), noHttp("a chunk of size")],
  ["a size and something behind", chunked("1 x\r\na\r\n0\r\n\r\n"), noHttp("a chunk of size")],
  ["a bare LF within an extension", chunked("1;a\nb\r\na\r\n0\r\n\r\n"), noHttp("a chunk of size")],
  ["a chunk that is longer than its size", chunked("1\r\nab\r\n0\r\n\r\n"), noHttp("a chunk that is longer")],
  ["chunks that end with a bare LF", chunked("1\na\n0\n\n"), brokeOff],
  ["chunks without an end", chunked("1\r\na\r\n"), brokeOff],
  ["chunks without the last line", chunked("1\r\na\r\n0\r\n"), brokeOff],
  ["a trailer that is no header", chunked("1\r\na\r\n0\r\n%%%\r\n\r\n"), noHttp("a header")],
  ["a trailer with a NUL", chunked("1\r\na\r\n0\r\nx: \0\r\n\r\n"), noHttp("a header")],
  ["another coding below", `${ok}transfer-encoding: gzip, chunked\r\n\r\n`, noHttp("a transfer encoding")],
  [
    "chunked twice",
    `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
    noHttp("a transfer encoding"),
  ],
  ["an unknown coding", `${ok}transfer-encoding: xchunked\r\n\r\n`, noHttp("a transfer encoding")],

  // What is no answer.
  ["nothing", "", brokeOff],
  ["an end within the head", "HTTP/1.1 200 OK\r\nx: y", brokeOff],
  ["another protocol", "SSH-2.0-x\r\n\r\n", noHttp("it begins with")],
  ["a line before the status", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", noHttp("it begins with")],
  ["another version", "HTTP/2 200 OK\r\n\r\n", noHttp("it begins with")],
  ["a small h", "http/1.1 200 OK\r\n\r\n", noHttp("it begins with")],
  ["a code below all", "HTTP/1.1 000 x\r\n\r\n", noHttp("it begins with")],
  ["a code of four", "HTTP/1.1 2000 x\r\n\r\n", noHttp("it begins with")],
  ["a wish to speak something else", "HTTP/1.1 101 x\r\nupgrade: x\r\n\r\n", noHttp("something else")],
  ["interim answers, and then nothing", many(3, "HTTP/1.1 100 x\r\n\r\n"), brokeOff],
  ["too many interim answers", many(17, "HTTP/1.1 100 x\r\n\r\n"), noHttp("more than 16 answers with 1xx")],

  // What is too large.
  ["a length above the limit", sized(1001), tooLarge],
  ["the limit", sized(1000, many(1000, "a")), read(200, many(1000, "a"))],
  ["chunks above the limit", chunked(many(3, `200\r\n${many(512, "a")}\r\n`)), tooLarge],
  ["a body without a length above the limit", `${ok}\r\n${many(1001, "a")}`, tooLarge],
];

/** Said again and again, each of them takes as much memory as it is let. */
export const endless: readonly (readonly [name: string, begin: string, again: string, expected: RegExp])[] = [
  ["a head without an end", "HTTP/1.1 200 OK\r\n", "x: y\r\n", noHttp("no end of a head after 65536 bytes")],
  ["a header without an end", "HTTP/1.1 200 OK\r\nx: ", "a", noHttp("no end of a head after 65536 bytes")],
  ["interim answers", "", "HTTP/1.1 102 x\r\n\r\n", noHttp("more than 16 answers with 1xx")],
  ["a body without an end", `${ok}\r\n`, "a", tooLarge],
  ["chunks of one byte", chunked(""), "1\r\na\r\n", tooLarge],
  ["a size without an end", chunked(""), "0", noHttp("no end of a head after 65536 bytes")],
  ["an extension without an end", chunked("1;"), "a", noHttp("no end of a head after 65536 bytes")],
  ["trailers", chunked("0\r\n"), "x: y\r\n", noHttp("trailers of more than 65536 bytes")],
  ["bytes behind the answer", sized(0), "a", /^no error$/],
];
