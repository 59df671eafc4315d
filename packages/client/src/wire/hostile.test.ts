// Answers that do harm, each cut at every byte: what is read is the same, and takes no more than it may.
import { describe, expect, it } from "vitest";
import { answers, type Expected, endless } from "../../test/hostile.ts";
import type { Headers, Request } from "../transport.ts";
import { Exchange } from "./exchange.ts";
import { AnswerReader, type Listener } from "./http1.ts";

const limits = { maxBodyBytes: 1000, maxLineBytes: 1000 };
const request: Request = { method: "GET", path: "/", headers: {} };
const failures = { before: (error: unknown) => error, within: (error: unknown) => error };
const hungUp = new Error("the other side has closed the connection");

/** One answer on one connection, as `pool.ts` reads it. */
class Conversation implements Listener {
  readonly #reader = new AnswerReader();
  readonly #exchange = new Exchange(request, failures, limits);
  isOver = false;
  #isKept = false;

  constructor() {
    this.#exchange.answer.catch(() => {});
    this.#exchange.carriedBy({ pause: () => {}, resume: () => {}, drop: () => this.#break(hungUp) });
    this.#reader.expect(this, "GET");
  }

  onHead(status: number, headers: Headers): void {
    this.#exchange.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    this.#exchange.onData(bytes);
  }

  onEnd(isKept: boolean): void {
    this.#isKept = isKept;
    this.#exchange.onEnd();
  }

  push(bytes: Buffer): void {
    if (this.isOver) return;
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#break(error);
    }
  }

  #break(why: unknown): void {
    this.isOver = true;
    this.#isKept = false;
    this.#exchange.fail(why);
  }

  async end(): Promise<Expected | string> {
    const { isOver } = this;
    if (!isOver) this.#reader.close();
    this.#exchange.fail(hungUp);
    try {
      const { status } = await this.#exchange.answer;
      return { status, body: await this.#exchange.text(), isKept: this.#isKept };
    } catch (error) {
      return (error as Error).message;
    }
  }
}

function check(result: Expected | string, expected: Expected, where: string): void {
  if (expected instanceof RegExp) expect(result, where).toMatch(expected);
  else expect(result, where).toEqual(expected);
}

describe("an answer with", () => {
  it.each(answers)("%s is read the same, wherever it is cut", async (_name, answer, expected) => {
    const bytes = Buffer.from(answer, "latin1");
    for (let at = 0; at <= bytes.length; at += 1) {
      const conversation = new Conversation();
      conversation.push(Buffer.from(bytes.subarray(0, at)));
      conversation.push(Buffer.from(bytes.subarray(at)));
      check(await conversation.end(), expected, `cut at ${at}`);
    }
    const conversation = new Conversation();
    for (const byte of bytes) conversation.push(Buffer.of(byte));
    check(await conversation.end(), expected, "byte by byte");
  });

  it("is one of at least sixty", () => {
    expect(answers.length + endless.length).toBeGreaterThanOrEqual(60);
  });
});

describe("what never ends", () => {
  it.each(endless)("%s is given up before it takes more than it may", async (name, begin, again, expected) => {
    for (const size of [1, again.length, 4096]) {
      const conversation = new Conversation();
      conversation.push(Buffer.from(begin, "latin1"));
      const bytes = Buffer.from(again.repeat(Math.ceil(size / again.length) + 1), "latin1");
      let taken = 0;
      while (!conversation.isOver && taken < 200_000) {
        const at = taken % again.length;
        conversation.push(Buffer.from(bytes.subarray(at, at + size)));
        taken += size;
      }
      expect(conversation.isOver, `${name} in pieces of ${size}`).toBe(true);
      expect(taken).toBeLessThan(100_000);
      const result = await conversation.end();
      expect(typeof result === "string" ? result : "no error").toMatch(expected);
    }
  });
});
