import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, names, Secret, sanitize, text, volatile } from "./text.ts";

const plain = (raw: unknown, max = 1024) => sanitize(raw, { max });
const stable = (raw: unknown) => sanitize(raw, { max: 1024, stable: true });

describe("a text that we write", () => {
  it("puts its parts in", () => {
    expect(text`Pod ${"a"} is ready (${1}/${2} containers)`).toBe("Pod a is ready (1/2 containers)");
    expect(text`nothing to fill in`).toBe("nothing to fill in");
  });

  it("takes what changes by itself only where that is said", () => {
    expect(text`attempt ${volatile(3)} of ${5}`).toBe("attempt 3 of 5");
  });
});

describe("a secret", () => {
  const secret = new Secret("hunter2");

  it("prints as something else wherever it is printed", () => {
    const shown = [String(secret), `${secret}`, JSON.stringify({ secret }), Object.values(secret).join()];
    expect(shown).toEqual(["[secret]", "[secret]", '{"secret":"[secret]"}', ""]);
  });

  it("is given to the one call that needs it", () => {
    expect(secret.reveal()).toBe("hunter2");
  });
});

describe("names in a message", () => {
  it("are sorted, at most five, and then counted (bindy 5.7)", () => {
    expect(names(["b", "a"])).toBe("a, b");
    expect(names(["e", "d", "c", "b", "a"])).toBe("a, b, c, d, e");
    expect(names(["g", "f", "e", "d", "c", "b", "a"])).toBe("a, b, c, d, e, and 2 more");
  });

  it("take another limit, another tail, and the order in which they come", () => {
    expect(names(["c", "b", "a"], { max: 1, more: " +{k} more", sort: false })).toBe("c +2 more");
    expect(names([])).toBe("");
  });

  it("do not change the list", () => {
    const list = ["b", "a"];
    names(list);
    expect(list).toEqual(["b", "a"]);
  });
});

describe("cutting", () => {
  it("leaves what fits as it is, and ends what does not in one character", () => {
    expect([cut("abcd", 4), cut("abcde", 4), cut("abc", 1), cut("abc", 0)]).toEqual(["abcd", "abc…", "…", ""]);
  });

  it("never leaves half a character", () => {
    expect(cut("ab😀cd", 4)).toBe("ab…");
    expect(cut("ab😀cd", 5)).toBe("ab😀…");
  });

  it("holds for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (message, max) => {
        const short = cut(message, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed()).toBe(true);
        expect(message.startsWith(short.replace(/…$/, ""))).toBe(true);
      }),
    );
  });
});

const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIhunter2\nAAAA\n-----END RSA PRIVATE KEY-----";

describe("a text from outside", () => {
  it.each([
    ["a bearer token", "GET /: Authorization: Bearer hunter2.abc-def"],
    ["a bearer token by itself", "sent Bearer hunter2"],
    ["a bearer token over two lines", "Bearer\n  hunter2hunter2"],
    ["a short authorization", "authorization: hunter2"],
    ["basic authentication", "Authorization: Basic hunter2aHVudGVyMg=="],
    ["a digest with several parts", "Authorization: Digest username=me response=hunter2"],
    ["a header in JSON", '{"Authorization":["Bearer hunter2"]}'],
    ["a URL with a password", "dial https://me:hunter2@host/path failed"],
    ["a URL with a password only", "redis://:hunter2@host"],
    ["a URL with a user that is a token", "clone https://hunter2@github.com/x"],
    ["a URL with an @ in the password", "https://me:a@hunter2@host/path"],
    ["a URL with a slash in the password", "https://me:a/hunter2@host/path"],
    ["a PEM block", `cannot parse ${pem} at all`],
    ["a PEM block that does not end", pem.slice(0, 50)],
    ["a PEM block with digits in its name", pem.replaceAll("RSA PRIVATE KEY", "PKCS8 KEY")],
    ["a PEM block within JSON", JSON.stringify({ data: pem })],
    ["a JWT", "token was eyJhbGciOiJIUzI1NiJ9.eyJodW50ZXIyIjoxfQ.hunter2"],
    ["a JWT without a signature", "got eyJhbGciOiJIUzI1NiJ9hunter2"],
    ["a pair", "password=hunter2"],
    ["a pair with spaces", "Password : hunter2"],
    ["a pair in quotes", 'db_password="my hunter2"'],
    ["a pair in single quotes", "passwd='my hunter2'"],
    ["a pair in quotes that do not end", 'password="my own hunter2'],
    ["a pair with quotes within", 'password="a\\"hunter2"'],
    ["a pair with commas", "password=a,hunter2"],
    ["a pair in a query", "GET /?user=me&access_token=hunter2&x=1"],
    ["an environment variable", "AWS_SECRET_ACCESS_KEY=hunter2"],
    ["a key", "key: hunter2"],
    ["an API key", "x-api-key: hunter2"],
    ["an object", '{"user":"me","password":"my hunter2"}'],
    ["an object in a text", '{\\"password\\":\\"my hunter2\\"}'],
    ["a list", '{"tokens": ["a", "hunter2"]}'],
    ["a registry's login", '{"auths":{"r.io":{"auth":"hunter2"}}}'],
    ["a block of YAML", "password: |\n  a\n  hunter2"],
    ["a flag", "mysql --password hunter2 -u me"],
    ["a cookie", "Set-Cookie: session=hunter2"],
    ["an access key", "user AKIAHUNTER2HUNTER222 is unknown"],
    ["a token of GitHub", "ghp_hunter2hunter2hunter2hunter2"],
    ["a token of GitLab", "glpat-hunter2hunter2"],
    ["a long mixed run", "got wJalrXUtnFEMI/K7MDENG/bPxRfiCYhunter2EXAMPLEKEY instead"],
    ["a word with something invisible in it", "pass\u200bword=hunter2"],
    ["a word with a control character in it", "pass\u0000word=hunter2"],
    ["a word in colours", "pass\u001b[31mword=\u001b[0mhunter2"],
  ])("does not show %s", (_name, hostile) => {
    for (const raw of [hostile, `error: ${hostile}`, new Error(hostile)]) {
      expect(plain(raw)).not.toMatch(/hunter2/i);
      expect(plain(raw)).toContain("[redacted]");
    }
  });

  it.each([
    'secrets "db" is forbidden: User "system:serviceaccount:a:b" cannot get resource "secrets"',
    "Secret default/db not found",
    "pulled docker.io/library/nginx@sha256:9b0fc8e09ae1abb0144ce57018fc1e13d23abd108540f135dc83c0ed661081cf",
    "dial tcp 10.0.0.1:6443: connect: connection refused",
    "https://host:8443/apis/telltale.test/v1/namespaces/default/widgets/a is not there",
    "container web: CrashLoopBackOff, 3 restarts",
  ])("shows what a person needs: %s", (harmless) => {
    expect(plain(harmless)).toBe(harmless);
  });

  it("is the first line where only that is wanted, even when it begins with a blank one", () => {
    expect(sanitize("\n first\r\nsecond", { max: 99, firstLineOnly: true })).toBe("first");
    expect(plain("first\nsecond")).toBe("first second");
  });

  it("has no control characters, no turned writing, no runs of blanks and no half characters", () => {
    expect(plain("a\t\tb\u0007c\u202ed \u001b[1;31me\u001b[0m\u2028f\ud800")).toBe("a bcd e f\ufffd");
  });

  it("is cut after it was cleaned, so that a cut does not hide a credential", () => {
    expect(plain("password=hunter2", 14)).toBe("password=[red…");
  });

  it.each([
    [42, "42"],
    [undefined, "undefined"],
    [Object.create(null), "an error that says nothing"],
    [Symbol("x"), "Symbol(x)"],
    [{ toString: () => "mine" }, "mine"],
  ])("can be anything that was thrown", (raw, shown) => {
    expect(plain(raw)).toBe(shown);
  });
});

describe("rule 23: a text for a condition", () => {
  it.each([
    ["an id", "volume 7d9f8c6b-1234-4abc-9def-0123456789ab is lost", "volume <id> is lost"],
    ["a request id", "throttled, RequestID: abc-123 given", "throttled, RequestID: <id> given"],
    ["a time", "since 2026-01-01T00:00:00.123Z it waits", "since <time> it waits"],
    ["a time with a zone", "since 2026-01-01 00:00:00+01:00 it waits", "since <time> it waits"],
    ["an address in memory", "nil at 0xc000123456", "nil at <address>"],
    ["a hash", "layer 0123456789abcdef0 is bad", "layer <id> is bad"],
    [
      "a port of this connection",
      "read tcp 10.0.0.1:43210->10.0.0.2:443: timeout",
      "read tcp 10.0.0.1:<port>->10.0.0.2:443: timeout",
    ],
    [
      "how long it took",
      "i/o timeout after 30.004s (1m2.5s in all)",
      "i/o timeout after <duration> (<duration> in all)",
    ],
    ["how little it took", "refused in 120ms, tried for 3.1µs", "refused in <duration>, tried for <duration>"],
    ["a count of tries", "attempt 3 failed", "attempt <n> failed"],
  ])("rule 23: does not change with %s", (_name, raw, expected) => {
    expect(stable(raw)).toBe(expected);
    expect(plain(raw)).toBe(raw);
  });

  it.each(["no answer within 250ms", "exceeded quota: cpu=500m, memory=1.5Gi", "v1.2.3s is no version", "10 attempts"])(
    "rule 23: keeps limits and amounts: %s",
    (raw) => {
      expect(stable(raw)).toBe(raw);
    },
  );
});

describe("a hostile text of a megabyte", () => {
  const parts = [
    "a",
    "eyJ-",
    "password.",
    "://",
    "://a:",
    "--",
    "key",
    "-----BEGIN A-----",
    "token ",
    " ",
    "\\",
    '"',
    "@",
    'password="',
    "0",
    "bearer ",
    "Aa0-",
  ];
  it.each(parts)("made of %j is handled", (part) => {
    const raw = part.repeat(Math.ceil(1_000_000 / part.length));
    expect(sanitize(raw, { max: 1024, stable: true }).length).toBeLessThanOrEqual(1024);
    expect(sanitize(raw, { max: 32_768, stable: true }).length).toBeLessThanOrEqual(32_768);
  });

  it("shows no credential that was cut in half by its length", () => {
    const raw = `${pem} ${"x".repeat(16_384 - pem.length - 20)} https://me:hunter2@host`;
    for (let drop = 0; drop < 40; drop++) expect(plain(raw.replace("x".repeat(drop), ""))).not.toContain("hunter2");
  });

  it("keeps its beginning where that has words", () => {
    expect(plain(`out of memory: ${"word ".repeat(200_000)}`, 20)).toBe("out of memory: word…");
  });
});
