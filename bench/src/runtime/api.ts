// The harness's own way to the server, apart from every client that is measured: requests on kept connections, and watches.
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { ControlPlane } from "../../../tools/envtest/envtest.ts";

export interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Versioned {
  readonly metadata: { readonly resourceVersion: string };
}

/** A watch of the driver's. */
export interface Following {
  /** Fails when it is not whole any more: what it would have told is missing. */
  check(): void;
  stop(): void;
}

export class Api {
  readonly #plane: ControlPlane;
  readonly #agent: Agent;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 80, ca: plane.ca });
  }

  async send(method: string, path: string, body?: object, type = "application/json"): Promise<Reply> {
    const stream = await this.#open(method, path, body, type);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { status: stream.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
  }

  /** Sends, and fails on any answer but a good one. */
  async must<T>(method: string, path: string, body?: object, type?: string): Promise<T> {
    const { status, text } = await this.send(method, path, body, type);
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  merge(path: string, body: object): Promise<unknown> {
    return this.must("PATCH", `${path}?fieldManager=driver`, body, "application/merge-patch+json");
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.must<{ items: readonly T[] }>("GET", path)).items;
  }

  /** Calls back for each change from now on, with the moment at which it came. */
  async follow<T>(path: string, changed: (object: T, at: number) => void): Promise<Following> {
    const { metadata } = await this.must<Versioned>("GET", `${path}?limit=1`);
    const state: { version: string; broken?: string; stream?: IncomingMessage } = { version: metadata.resourceVersion };
    const begin = async () => {
      const stream = await this.#open("GET", `${path}?watch=1&resourceVersion=${state.version}`);
      state.stream = stream;
      if (stream.statusCode !== 200) state.broken = `was refused with ${stream.statusCode}`;
      let rest = "";
      stream.setEncoding("utf8");
      stream.on("error", () => {});
      stream.on("data", (chunk: string) => {
        const at = performance.now();
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const { type, object } = JSON.parse(line) as { type: string; object: T & Versioned };
          if (type === "ERROR") state.broken ??= `ended with ${line}`;
          else {
            state.version = object.metadata.resourceVersion;
            changed(object, at);
          }
        }
      });
      // The server ends a watch that takes too long over its events, as on a busy machine: it goes on where it was.
      stream.once("close", () => {
        if (state.broken === undefined) void begin().catch((error) => (state.broken = String(error)));
      });
    };
    await begin();
    return {
      check() {
        if (state.broken !== undefined) throw new Error(`the driver's watch of ${path} ${state.broken}`);
      },
      stop() {
        state.broken = "was stopped";
        state.stream?.destroy();
      },
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, body?: object, type?: string): Promise<IncomingMessage> {
    const headers: Record<string, string | number> = { authorization: `Bearer ${this.#plane.token}` };
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    if (bytes !== undefined) {
      headers["content-type"] = type ?? "application/json";
      headers["content-length"] = Buffer.byteLength(bytes);
    }
    return new Promise((resolve, reject) => {
      const out = request(`${this.#plane.url}${path}`, { method, headers, agent: this.#agent }, resolve);
      out.once("error", reject);
      out.end(bytes);
    });
  }
}

/** Runs `each` for all items, `lanes` of them at a time. */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  each: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      await each(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
