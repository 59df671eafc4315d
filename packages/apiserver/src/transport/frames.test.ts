import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closeFrame, FrameReader, messageFrame, ProtocolError, pongFrame, type Said } from "./frames.ts";

/** A frame as a client sends it. */
function sent(opcode: number, payload: Uint8Array | string, { fin = true, rsv = 0, masked = true } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const size = bytes.length < 126 ? [] : bytes.length < 65_536 ? [2] : [8];
  const length = Buffer.alloc(size[0] ?? 0);
  if (length.length === 2) length.writeUInt16BE(bytes.length);
  if (length.length === 8) length.writeBigUInt64BE(BigInt(bytes.length));
  const short = length.length === 0 ? bytes.length : length.length === 2 ? 126 : 127;
  const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);
  const head = Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode, (masked ? 0x80 : 0) | short]);
  const hidden = masked ? bytes.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : bytes;
  return Buffer.concat([head, length, ...(masked ? [mask] : []), hidden]);
}

const read = (bytes: Buffer, longest = 1_000_000): Said[] => [...new FrameReader(longest).read(bytes)];
const shown = (said: readonly Said[]) =>
  said.map((it) => (it.is === "close" ? `close ${it.code}` : `${it.is} ${it.bytes.toString()}`));

function refusal(bytes: Buffer, longest?: number): string {
  try {
    read(bytes, longest);
  } catch (error) {
    if (error instanceof ProtocolError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("what a client says", () => {
  test("is heard in messages of any length", () => {
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 200_000]) {
      const text = "x".repeat(length);
      expect(shown(read(sent(2, text)))).toEqual([`message ${text}`]);
    }
    expect(shown(read(sent(1, "text")))).toEqual(["message text"]);
  });

  test("may come in frames, with other things said in between", () => {
    const bytes = Buffer.concat([
      sent(2, "a", { fin: false }),
      sent(9, "there?"),
      sent(0, "", { fin: false }),
      sent(0, "b", { fin: false }),
      sent(10, ""),
      sent(0, "c"),
      sent(2, "next"),
      sent(8, Buffer.from([0x03, 0xe8])),
    ]);
    expect(shown(read(bytes))).toEqual(["ping there?", "pong ", "message abc", "message next", "close 1000"]);
  });

  test("is the same however the network cuts it", () => {
    const whole = Buffer.concat([
      sent(2, "hello", { fin: false }),
      sent(0, "y".repeat(300)),
      sent(9, "p"),
      sent(8, ""),
    ]);
    const expected = shown(read(whole));
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 20 }), (cuts) => {
        const reader = new FrameReader(1_000_000);
        const at = [0, ...[...cuts].sort((a, b) => a - b), whole.length];
        const said = at.flatMap((cut, i) => (i === 0 ? [] : [...reader.read(whole.subarray(at[i - 1], cut))]));
        expect(shown(said)).toEqual(expected);
      }),
    );
  });

  test("that it closes for no reason, or for a good one, is heard", () => {
    expect(shown(read(sent(8, "")))).toEqual(["close 1005"]);
    expect(shown(read(sent(8, Buffer.concat([Buffer.from([0x0b, 0xb8]), Buffer.from("bye")]))))).toEqual([
      "close 3000",
    ]);
  });
});

describe("a client that breaks the rules is told", () => {
  test.each([
    ["sends what is not masked", sent(2, "a", { masked: false }), "1002: what a client sends is masked"],
    ["uses what was not agreed on", sent(2, "a", { rsv: 4 }), "1002: no extension was agreed on"],
    ["sends an unknown opcode", sent(3, "a"), "1002: 3 is no opcode"],
    ["sends an unknown control opcode", sent(11, "a"), "1002: 11 is no opcode"],
    ["sends a control frame in parts", sent(9, "a", { fin: false }), "1002: a control frame is short, and whole"],
    ["sends a long control frame", sent(9, "a".repeat(126)), "1002: a control frame is short, and whole"],
    ["goes on with nothing", sent(0, "a"), "1002: frames of a message follow each other"],
    [
      "begins anew in the middle",
      Buffer.concat([sent(2, "a", { fin: false }), sent(2, "b")]),
      "1002: frames of a message follow each other",
    ],
    ["closes with half a number", sent(8, "a"), "1002: 0 is no reason to close"],
    ["closes with a number that is never sent", sent(8, Buffer.from([0x03, 0xee])), "1002: 1006 is no reason to close"],
  ])("when it %s", (_, bytes, expected) => {
    expect(refusal(bytes)).toBe(expected);
  });

  test("when a message is too long, before it has come, and when its frames are together", () => {
    const told = "1009: a message may have 10 bytes";
    expect(refusal(sent(2, "a".repeat(11)).subarray(0, 6), 10)).toBe(told);
    expect(refusal(Buffer.concat([sent(2, "a".repeat(6), { fin: false }), sent(0, "a".repeat(5))]), 10)).toBe(told);
    expect(refusal(sent(2, "a".repeat(10)), 10)).toBe("none");
    const endless = Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    expect(refusal(endless, 10)).toBe(told);
  });
});

describe("what the server says", () => {
  test("has its length in as few bytes as it takes", () => {
    expect([...messageFrame(Buffer.from("hi"))]).toEqual([0x82, 2, 104, 105]);
    expect([...messageFrame(Buffer.alloc(126)).subarray(0, 4)]).toEqual([0x82, 126, 0, 126]);
    expect([...messageFrame(Buffer.alloc(65_536)).subarray(0, 10)]).toEqual([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
    expect([...pongFrame(Buffer.from("p"))]).toEqual([0x8a, 1, 112]);
  });

  test("when it closes is the number and the reason, as far as there is room", () => {
    expect([...closeFrame(1000, "")]).toEqual([0x88, 2, 0x03, 0xe8]);
    expect([...closeFrame(1005, "")]).toEqual([0x88, 0]);
    expect(closeFrame(1002, "x".repeat(200))).toHaveLength(2 + 125);
  });
});
