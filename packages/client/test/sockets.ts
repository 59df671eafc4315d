// Servers on real sockets, and certificates for them where the machine has `openssl`.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { ServerOptions } from "node:https";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection, Tls } from "../src/connection.ts";

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Connections that were ever made. */
  count(): number;
  /** Resolves when no connection is left. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export function listen(answer: RequestListener, tls?: ServerOptions): Promise<Listening> {
  const server: Server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  return listening(server, tls === undefined ? "http" : "https");
}

/** A proxy that tunnels whatever it is asked for to one port, and remembers what that was. */
export async function listenAsProxy(port: number, asked: string[]): Promise<Listening> {
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on("connect", (request, socket: Socket) => {
    asked.push(request.url ?? "");
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const it of [onward, socket]) it.on("error", () => {});
  });
  return listening(server, "http");
}

/** The same by SOCKS 5, for whoever needs no password. */
export async function listenAsSocks(port: number, asked: string[]): Promise<Listening> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(Uint8Array.of(5, 0));
      socket.once("data", (request) => {
        const length = request[4] ?? 0;
        asked.push(`${request.subarray(5, 5 + length).toString()}:${request.readUInt16BE(5 + length)}`);
        const onward = connect(port, "127.0.0.1", () => {
          socket.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
          socket.pipe(onward).pipe(socket);
        });
        onward.on("error", () => {});
      });
    });
  });
  return listening(server, "socks5");
}

/** Says one thing for each that it hears, and hangs up where there is nothing to say. */
export async function listenAndSay(answers: readonly (string | Uint8Array)[], heard: string[]): Promise<Listening> {
  const server = createSocketServer((socket) => {
    let turn = 0;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heard.push(bytes.toString("latin1"));
      const answer = answers[turn++] ?? "";
      if (answer.length === 0) socket.destroy();
      else socket.write(answer);
    });
  });
  return listening(server, "tcp");
}

async function listening(server: SocketServer, scheme: string): Promise<Listening> {
  let count = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    count: () => count,
    async idle() {
      while (sockets.size > 0) await Promise.all(Array.from(sockets, (socket) => once(socket, "close")));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A connection as a kubeconfig would give it. */
export function connectionTo(server: string, more: Partial<Connection> = {}): Connection {
  const tls: Tls = {};
  return {
    server,
    namespace: "default",
    tls: async () => tls,
    identity: async () => ({}),
    forget: () => false,
    ...more,
  };
}

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const openssl = process.env["OPENSSL"] || "openssl";

/** Whether the machine has what certificates are made with. */
export const hasOpenssl: boolean = (() => {
  try {
    execFileSync(openssl, ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** A certificate that signs itself, for a name. */
export function selfSigned(name: string): Pair {
  const folder = mkdtempSync(join(tmpdir(), "telltale-client-"));
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
  execFileSync(openssl, [...args.split(" "), "-addext", `subjectAltName=DNS:${name}`, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}
