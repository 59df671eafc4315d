// The API on a port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Api } from "./api.ts";
import { maxBody } from "./message.ts";

export interface Listener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function listen(api: Api, where: { readonly host: string; readonly port: number }): Promise<Listener> {
  const server = createServer((request, response) => {
    answer(api, request, response).catch(() => response.destroy());
  });
  await begin(server, where);
  const { port } = server.address() as AddressInfo;
  const host = where.host.includes(":") ? `[${where.host}]` : where.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  const reply = await api({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers,
    peer: request.socket.remoteAddress ?? "",
    body: () => bodyOf(request),
  });
  // What was not read would be taken for the next request.
  const over = request.readableEnded ? {} : { connection: "close" };
  response.writeHead(reply.status, {
    ...reply.headers,
    ...over,
    "content-length": String(Buffer.byteLength(reply.body)),
  });
  response.end(reply.body);
  if (!request.readableEnded) request.resume();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > maxBody) return undefined;
  const parts: Buffer[] = [];
  let size = 0;
  // Without `destroy` the answer can still be sent.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBody) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function begin(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
