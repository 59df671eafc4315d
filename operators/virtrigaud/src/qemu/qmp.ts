// A talk with one QEMU over its QMP socket: greeting, capabilities, then commands with answers, and events between them.
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Host } from "./host.ts";
import { member, onLines } from "./lines.ts";

/** QEMU refused a command, or the talk ended before its answer. */
export class QmpError extends Error {
  override readonly name = "QmpError";
  /** `GenericError`, `DeviceNotFound`, ...; `Closed` and `Timeout` are ours. */
  readonly class: string;

  constructor(kind: string, message: string) {
    super(message);
    this.class = kind;
  }
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Qmp {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  readonly #events = new EventEmitter<{ event: [name: string, data: unknown] }>();
  #next = 1;
  #isClosed = false;

  private constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
  }

  /** Connects, and is greeted, within the limit. */
  static async open(host: Host, path: string, limit: Ms): Promise<Qmp> {
    const socket = await host.connect(path);
    const qmp = new Qmp(socket, host.clock);
    const greeted = new Promise<void>((resolve, reject) => {
      qmp.#waiting.set(0, { resolve: () => resolve(), reject });
    });
    onLines(socket, (value) => qmp.#heard(value));
    socket.on("error", () => socket.destroy());
    socket.once("close", () => qmp.#close());
    try {
      await qmp.#within(greeted, limit, "the greeting");
      await qmp.execute("qmp_capabilities", {}, limit);
      return qmp;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Its answer; a `QmpError` where QEMU refuses, or says nothing for so long. */
  execute(command: string, values: Readonly<Record<string, unknown>> = {}, limit: Ms = 10_000): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new QmpError("Closed", "QEMU has ended the talk"));
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: values, id })}\n`);
    return this.#within(answer, limit, command).finally(() => this.#waiting.delete(id));
  }

  onEvent(heard: (name: string, data: unknown) => void): () => void {
    this.#events.on("event", heard);
    return () => this.#events.off("event", heard);
  }

  close(): void {
    this.#socket.destroy();
    this.#close();
  }

  #heard(value: unknown): void {
    const event = member(value, "event");
    if (typeof event === "string") {
      this.#events.emit("event", event, member(value, "data"));
      return;
    }
    const id = member(value, "QMP") === undefined ? member(value, "id") : 0;
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (typeof id !== "number" || waiting === undefined) return;
    this.#waiting.delete(id);
    const error = member(value, "error");
    if (error === undefined) waiting.resolve(member(value, "return"));
    else waiting.reject(new QmpError(String(member(error, "class")), String(member(error, "desc"))));
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new QmpError("Closed", "QEMU has ended the talk"));
    this.#waiting.clear();
  }

  #within<T>(promise: Promise<T>, limit: Ms, what: string): Promise<T> {
    return within(
      this.#clock,
      promise,
      limit,
      () => new QmpError("Timeout", `QEMU did not answer ${what} in ${limit} ms`),
    );
  }
}

/** What a promise gives, or an error when it takes longer. */
export function within<T>(clock: Clock, promise: Promise<T>, limit: Ms, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limit, () => reject(late()));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
