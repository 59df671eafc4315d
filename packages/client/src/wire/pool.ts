// Connections that are kept, a bounded number of them. Each carries one request at a time.
import type { Socket } from "node:net";
import { ConnectionError } from "../errors.ts";
import type { Headers, Request, Response } from "../transport.ts";
import { Exchange, type Failures, type Limits } from "./exchange.ts";
import { AnswerReader, type Listener, requestHead } from "./http1.ts";
import { openSocket, type Way } from "./socket.ts";

export interface PoolOptions extends Limits {
  /** Asked for each connection. */
  readonly way: () => Way;
  /** What the server is called. */
  readonly host: string;
  readonly limit: number;
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAlive: number;
  readonly failures: Failures;
}

interface Job {
  readonly exchange: Exchange;
  readonly head: string;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #lines = new Set<Line>();
  readonly #idle: Line[] = [];
  readonly #waiting: Job[] = [];
  #whenEmpty: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Resolves when a stream begins, or when any other answer is whole. */
  send(request: Request): Promise<Response> {
    const { host, failures } = this.#options;
    const { body } = request;
    const length = body === undefined ? (hasBody(request.method) ? 0 : undefined) : Buffer.byteLength(body);
    const head = requestHead(request, host, length);
    const exchange = new Exchange(request, failures, this.#options);
    if (!exchange.isOver) this.#give({ exchange, head });
    return exchange.answer;
  }

  /** Takes no more requests, and resolves when those under way have ended. */
  close(): Promise<void> {
    for (const line of this.#idle.splice(0)) line.drop();
    return new Promise((resolve) => {
      this.#whenEmpty = resolve;
      if (this.#lines.size === 0) resolve();
    });
  }

  /** Ends everything now. */
  destroy(): void {
    const why = "this transport was closed";
    for (const { exchange } of this.#waiting.splice(0)) exchange.fail(new ConnectionError("closed", why));
    for (const line of this.#lines) line.break(new Error(why));
  }

  free(line: Line): void {
    const next = this.#next();
    if (next !== undefined) line.carry(next);
    else if (this.#whenEmpty !== undefined) line.drop();
    else this.#idle.push(line);
  }

  lost(line: Line): void {
    this.#lines.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    const next = this.#next();
    if (next !== undefined) this.#give(next);
    else if (this.#lines.size === 0) this.#whenEmpty?.();
  }

  #give(job: Job): void {
    const { way, limit, keepAlive } = this.#options;
    const idle = this.#idle.pop();
    if (idle !== undefined) idle.carry(job);
    else if (this.#lines.size >= limit) this.#waiting.push(job);
    else {
      const line = new Line(this, keepAlive);
      this.#lines.add(line);
      void line.open(way, job);
    }
  }

  /** Who waits longest, and still waits. */
  #next(): Job | undefined {
    for (;;) {
      const job = this.#waiting.shift();
      if (job?.exchange.isOver !== true) return job;
    }
  }
}

const hasBody = (method: string): boolean => method === "POST" || method === "PUT" || method === "PATCH";

const hungUp = "the other side has closed the connection";

/** One connection. */
class Line implements Listener {
  readonly #pool: Pool;
  readonly #keepAlive: number;
  readonly #reader = new AnswerReader();
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #isEnded = false;
  #isLost = false;

  constructor(pool: Pool, keepAlive: number) {
    this.#pool = pool;
    this.#keepAlive = keepAlive;
  }

  async open(way: () => Way, job: Job): Promise<void> {
    this.#exchange = job.exchange;
    try {
      const socket = await openSocket(way(), (bytes) => this.#read(bytes));
      this.#socket = socket;
      socket.setNoDelay(true).setKeepAlive(true, this.#keepAlive).setTimeout(this.#keepAlive);
      socket.on("error", (error) => this.break(error));
      socket.on("end", () => this.#hungUp());
      socket.on("close", () => this.break(new Error(hungUp)));
      socket.on("timeout", () => this.#exchange === undefined && this.drop());
    } catch (error) {
      this.break(error);
      return;
    }
    if (this.#isLost || this.#socket.destroyed) {
      this.#socket.destroy();
      this.break(new Error(hungUp));
    } else if (job.exchange.isOver) this.#release();
    else this.carry(job);
  }

  carry({ exchange, head }: Job): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    const { method, body } = exchange.request;
    this.#exchange = exchange;
    exchange.carriedBy(this);
    this.#reader.expect(this, method);
    socket.ref();
    if (body === undefined || typeof body === "string") socket.write(body === undefined ? head : head + body);
    else {
      socket.cork();
      socket.write(head);
      socket.write(body);
      socket.uncork();
    }
  }

  onHead(status: number, headers: Headers): void {
    this.#exchange?.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    this.#exchange?.onData(bytes);
  }

  onEnd(isKept: boolean): void {
    this.#exchange?.onEnd();
    if (isKept) this.#isEnded = true;
    else this.drop();
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Nothing more is wanted of it. */
  drop(): void {
    if (this.#socket !== undefined) this.break(new Error("nobody reads this answer any more"));
  }

  break(why: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#socket?.destroy();
    this.#exchange?.fail(why);
    this.#pool.lost(this);
  }

  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.break(error);
      return;
    }
    // Only now: what followed the answer would be taken for the next one.
    if (this.#isEnded && !this.#isLost) this.#release();
  }

  #hungUp(): void {
    this.#reader.close();
    this.break(new Error(hungUp));
  }

  #release(): void {
    this.#isEnded = false;
    this.#exchange = undefined;
    this.#socket?.unref();
    if (this.#socket?.isPaused() === true) this.#socket.resume();
    this.#pool.free(this);
  }
}
