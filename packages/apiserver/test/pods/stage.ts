// A server on a socket with pods that a test runs itself, and the ways to ask it.
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { WebSocket } from "undici";
import { type ApiServer, type ServerOptions, startApiServer } from "../../src/index.ts";
import { FakeAccess } from "./fake-access.ts";

const admin = { username: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} };
export const pods = "/api/v1/namespaces/default/pods";

export interface Stage {
  readonly server: ApiServer;
  readonly access: FakeAccess;
  /** In this process. */
  call(method: string, path: string, body?: object, type?: string): Promise<{ status: number; body: string }>;
  /** Over the socket: an answer as it begins. */
  ask(path: string, options?: Asking): Promise<IncomingMessage>;
  /** The status and the message of a refusal over the socket. */
  refusal(path: string, options?: Asking): Promise<string>;
  open(path: string, protocols?: string[]): Talk;
  /** A pod on a node, with containers that run. */
  pod(name: string, containers?: readonly string[], status?: object): Promise<void>;
}

export interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export async function stage(options: ServerOptions = {}): Promise<Stage> {
  const access = new FakeAccess();
  const server = await startApiServer({
    listen: { tls: false },
    clock: new VirtualClock(),
    random: seededRandom(1),
    tokens: { admin, jane: { ...admin, username: "jane", groups: ["system:authenticated"] } },
    pods: access,
    ...options,
  });
  const call: Stage["call"] = (method, path, body, type = "application/json") =>
    server.client({
      method,
      path,
      headers: { "content-type": type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const ask: Stage["ask"] = (path, { method = "GET", token = "admin", headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(signal === undefined ? {} : { signal }),
      });
      sent.once("response", resolve);
      sent.once("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("it was upgraded"));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    server,
    access,
    call,
    ask,
    async refusal(path, asking) {
      const answer = await ask(path, asking);
      const said = await text(answer);
      return `${answer.statusCode} ${answer.headers["content-type"] === "application/json" ? JSON.parse(said).message : said}`;
    },
    open: (path, protocols = ["v5.channel.k8s.io"]) =>
      new Talk(`${server.url?.replace(/^http/, "ws")}${path}`, protocols),
    async pod(name, containers = ["main"], status = runs(containers)) {
      const spec = { nodeName: "n", containers: containers.map((it) => ({ name: it, image: "example.test/app:1" })) };
      await call("POST", pods, { metadata: { name }, spec });
      await call("PATCH", `${pods}/${name}/status`, { status }, "application/merge-patch+json");
    },
  };
}

export const runs = (containers: readonly string[]) => ({
  phase: "Running",
  containerStatuses: containers.map((name) => ({
    name,
    state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    ready: true,
    restartCount: 0,
    image: "example.test/app:1",
    imageID: "",
  })),
});

/** A conversation over a WebSocket, by channels. */
export class Talk {
  readonly #socket: WebSocket;
  readonly heard: { readonly channel: number; readonly text: string }[] = [];
  readonly opened: Promise<string>;
  readonly closed: Promise<number>;
  #wake = () => {};

  constructor(url: string, protocols: string[]) {
    this.#socket = new WebSocket(url, { protocols, headers: { authorization: "Bearer admin" } });
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("message", ({ data }) => {
      const bytes = Buffer.from(data as ArrayBuffer);
      this.heard.push({ channel: bytes[0] ?? -1, text: bytes.subarray(1).toString("latin1") });
      this.#wake();
    });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.addEventListener("open", () => resolve(this.#socket.protocol));
      this.#socket.addEventListener("error", () => reject(new Error("it was not opened")));
    });
    this.closed = new Promise((resolve) => this.#socket.addEventListener("close", ({ code }) => resolve(code)));
    this.opened.catch(() => {});
  }

  say(channel: number, text: string): void {
    this.#socket.send(Buffer.from([channel, ...Buffer.from(text)]));
  }

  close(): void {
    this.#socket.close();
  }

  /** All that came on a channel. */
  on(channel: number): string {
    return this.heard
      .filter((it) => it.channel === channel)
      .map((it) => it.text)
      .join("");
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
