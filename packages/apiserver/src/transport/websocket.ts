// The server's side of a WebSocket: the handshake, and messages in both directions at the pace of whoever is slower.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "@telltale/clock";
import type { MessageSocket } from "../request.ts";
import { closeFrame, closing, FrameReader, messageFrame, ProtocolError, pongFrame, type Said } from "./frames.ts";

const longestMessage = 1024 * 1024;
/** So much may wait to be taken before the client is asked, by TCP, to hold on. */
const enough = 1024 * 1024;
/** A client that was told goodbye has so long to hang up. */
const patience = 5_000;

/** What the client's handshake is answered with, or why there is none. */
export function handshake(
  headers: IncomingHttpHeaders,
  protocol: string,
): { readonly lines: readonly string[] } | { readonly refused: string } {
  const key = headers["sec-websocket-key"] ?? "";
  if (headers["sec-websocket-version"] !== "13") return { refused: "a WebSocket of version 13 is served, no other" };
  if (Buffer.from(key, "base64").length !== 16) return { refused: "Sec-WebSocket-Key has to be 16 bytes in base64" };
  const accepted = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return {
    lines: [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${accepted}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
    ],
  };
}

export class WebSocketConnection implements MessageSocket {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #reader = new FrameReader(longestMessage);
  readonly #gone = new AbortController();
  readonly #waiting: Uint8Array[] = [];
  #length = 0;
  #isClosing = false;
  #wake: () => void = () => {};

  constructor(socket: Duplex, head: Buffer, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    socket.on("data", (piece: Buffer) => this.#take(piece));
    socket.once("end", () => this.#end());
    socket.once("close", () => this.#end());
    socket.on("error", () => socket.destroy());
    if (head.length > 0) this.#take(head);
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#isClosing || this.#socket.writableEnded || this.#socket.destroyed) return;
    if (this.#socket.write(messageFrame(message))) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#socket.off("drain", done);
        this.#gone.signal.removeEventListener("abort", done);
        resolve();
      };
      this.#socket.once("drain", done);
      this.#gone.signal.addEventListener("abort", done, { once: true });
      if (this.#gone.signal.aborted) done();
    });
  }

  async *messages(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        this.#length -= message.length;
        if (this.#length < enough) this.#socket.resume();
        yield message;
      } else if (this.#gone.signal.aborted || this.#isClosing) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Says goodbye. What was sent before still arrives: the client hangs up first, unless it takes too long. */
  close(code: number = closing.normally, why = ""): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#wake();
    if (this.#socket.destroyed) return;
    this.#socket.resume(); // what the client still sends is read, and not heard
    this.#socket.end(closeFrame(code, why));
    const late = this.#clock.after(patience, () => this.#socket.destroy());
    this.#socket.once("close", () => late.cancel());
  }

  #take(piece: Buffer): void {
    if (this.#isClosing) return;
    try {
      for (const said of this.#reader.read(piece)) this.#hear(said);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.close(error.code, error.message);
      this.#gone.abort();
    }
  }

  #hear(said: Said): void {
    if (this.#isClosing) return;
    if (said.is === "ping") {
      // Whoever asks and does not read gets no answer.
      if (this.#socket.writableLength < enough) this.#socket.write(pongFrame(said.bytes));
    } else if (said.is === "close") {
      this.close(said.code);
      this.#gone.abort();
    } else if (said.is === "message") {
      this.#waiting.push(said.bytes);
      this.#length += said.bytes.length;
      if (this.#length >= enough) this.#socket.pause();
      this.#wake();
    }
  }

  #end(): void {
    this.#gone.abort();
    this.#wake();
    this.#socket.end();
  }
}
