// WebSocket frames (RFC 6455) as bytes: read from a client, piece by piece, and written to it. Knows no sockets.

/** What a client said: a whole message, however many frames it took, or one of the three that control the connection. */
export type Said =
  | { readonly is: "message"; readonly bytes: Buffer }
  | { readonly is: "ping" | "pong"; readonly bytes: Buffer }
  | { readonly is: "close"; readonly code: number };

/** A client that breaks the protocol is told why, by number, and let go. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.code = code;
  }
}

export const closing = { normally: 1000, goingAway: 1001, broken: 1002, tooLong: 1009, failed: 1011 } as const;
/** What a close says that says nothing. It is never sent. */
const nothingSaid = 1005;

const opcodes = { continued: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const longestControl = 125;

interface Header {
  readonly fin: boolean;
  readonly opcode: number;
  readonly mask: Buffer;
  readonly length: number;
}

export class FrameReader {
  readonly #longest: number;
  readonly #pieces: Buffer[] = [];
  #available = 0;
  /** Of the message under way: its frames so far. */
  readonly #parts: Buffer[] = [];
  #size = 0;
  #isOpen = false;
  #header: Header | undefined;

  constructor(longestMessage: number) {
    this.#longest = longestMessage;
  }

  /** Takes what came, and tells what is complete by now. Throws `ProtocolError`. */
  *read(piece: Buffer): Generator<Said, void, undefined> {
    this.#pieces.push(piece);
    this.#available += piece.length;
    for (;;) {
      this.#header ??= this.#readHeader();
      const header = this.#header;
      const masked = header === undefined ? undefined : this.#take(header.length);
      if (header === undefined || masked === undefined) return;
      this.#header = undefined;
      const said = this.#frame(header, unmasked(masked, header.mask));
      if (said !== undefined) yield said;
    }
  }

  #frame({ fin, opcode }: Header, bytes: Buffer): Said | undefined {
    if (opcode === opcodes.ping || opcode === opcodes.pong) {
      return { is: opcode === opcodes.ping ? "ping" : "pong", bytes };
    }
    if (opcode === opcodes.close) return { is: "close", code: closeCode(bytes) };
    if (bytes.length > 0) this.#parts.push(bytes); // any number of empty frames takes no room
    this.#size += bytes.length;
    this.#isOpen = !fin;
    if (!fin) return undefined;
    const [only = bytes] = this.#parts;
    const message = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only;
    this.#parts.length = 0;
    this.#size = 0;
    return { is: "message", bytes: message };
  }

  #readHeader(): Header | undefined {
    const start = this.#peek(2);
    if (start === undefined) return undefined;
    const [first = 0, second = 0] = start;
    const short = second & 0x7f;
    const size = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + 4;
    const [fin, opcode] = [(first & 0x80) !== 0, first & 0x0f];
    this.#check(first, second, opcode);
    const all = this.#peek(size);
    if (all === undefined) return undefined;
    const length = short === 126 ? all.readUInt16BE(2) : short === 127 ? Number(all.readBigUInt64BE(2)) : short;
    if (opcode < opcodes.close && this.#size + length > this.#longest) {
      throw new ProtocolError(closing.tooLong, `a message may have ${this.#longest} bytes`);
    }
    this.#take(size);
    return { fin, opcode, length, mask: all.subarray(size - 4) };
  }

  #check(first: number, second: number, opcode: number): void {
    const broken = (why: string): never => {
      throw new ProtocolError(closing.broken, why);
    };
    if ((first & 0x70) !== 0) broken("no extension was agreed on");
    if ((second & 0x80) === 0) broken("what a client sends is masked");
    if (opcode >= opcodes.close) {
      if (opcode > opcodes.pong) broken(`${opcode} is no opcode`);
      if ((first & 0x80) === 0 || (second & 0x7f) > longestControl) broken("a control frame is short, and whole");
    } else if (opcode > opcodes.binary) broken(`${opcode} is no opcode`);
    else if (this.#isOpen !== (opcode === opcodes.continued)) broken("frames of a message follow each other");
  }

  /** The next bytes, left where they are. Undefined while there are not so many. */
  #peek(size: number): Buffer | undefined {
    const [head] = this.#pieces;
    if (head !== undefined && head.length >= size) return head.subarray(0, size);
    if (this.#available < size) return undefined;
    const all = Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    this.#pieces.push(all);
    return all.subarray(0, size);
  }

  #take(size: number): Buffer | undefined {
    const taken = this.#peek(size);
    const [head] = this.#pieces;
    if (taken === undefined) return undefined;
    if (head !== undefined) this.#pieces[0] = head.subarray(size);
    this.#available -= size;
    return taken;
  }
}

/** One whole binary message. What a server sends is not masked. */
export const messageFrame = (bytes: Uint8Array): Buffer => frame(opcodes.binary, bytes);

export const pongFrame = (bytes: Uint8Array): Buffer => frame(opcodes.pong, bytes);

export function closeFrame(code: number, why: string): Buffer {
  if (code === nothingSaid) return frame(opcodes.close, Buffer.alloc(0));
  const reason = Buffer.from(why).subarray(0, longestControl - 2);
  const number = Buffer.alloc(2);
  number.writeUInt16BE(code);
  return frame(opcodes.close, Buffer.concat([number, reason]));
}

function frame(opcode: number, bytes: Uint8Array): Buffer {
  const { length } = bytes;
  const extra = length <= longestControl ? 0 : length <= 0xffff ? 2 : 8;
  const whole = Buffer.allocUnsafe(2 + extra + length);
  whole[0] = 0x80 | opcode;
  whole[1] = extra === 0 ? length : extra === 2 ? 126 : 127;
  if (extra === 2) whole.writeUInt16BE(length, 2);
  if (extra === 8) whole.writeBigUInt64BE(BigInt(length), 2);
  whole.set(bytes, 2 + extra);
  return whole;
}

function unmasked(bytes: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i += 1) plain[i] = (bytes[i] ?? 0) ^ (mask[i & 3] ?? 0);
  return plain;
}

function closeCode(bytes: Buffer): number {
  if (bytes.length === 0) return nothingSaid;
  const code = bytes.length === 1 ? 0 : bytes.readUInt16BE(0);
  const isKnown = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code < 5000);
  if (!isKnown) throw new ProtocolError(closing.broken, `${code} is no reason to close`);
  return code;
}
