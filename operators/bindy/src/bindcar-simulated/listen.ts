// A port on which a simulated Bindcar answers, and goes wrong in the ways of a socket where it is told to.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@telltale/clock";
import type { SimulatedBindcar, SimulatedRequest } from "./bindcar.ts";
import type { Delivery } from "./delivery.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly ask: (asked: SimulatedRequest) => Promise<Delivery>;
  /** Closes its port while this one does not listen. */
  readonly bindcar?: SimulatedBindcar;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function listen({ host, port, clock, ask, bindcar }: ListenOptions): Promise<Listener> {
  const server = createServer((request, response) => {
    answer(request, ask).then(
      (delivery) => respond(delivery, response, clock),
      () => response.destroy(),
    );
  });
  server.keepAliveTimeout = 1;
  await begin(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  let isClosed = false;
  let turn = Promise.resolve();
  bindcar?.onChange(() => {
    turn = turn.then(async () => {
      const isWanted = !isClosed && bindcar.listens;
      if (isWanted && !server.listening) await begin(server, host, bound);
      if (!isWanted && server.listening) await end(server);
    });
  });
  return {
    url: `http://${host}:${bound}`,
    port: bound,
    async close() {
      isClosed = true;
      await turn;
      if (server.listening) await end(server);
    },
  };
}

async function answer(request: IncomingMessage, ask: ListenOptions["ask"]): Promise<Delivery> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value ?? "")]),
  );
  return ask({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers,
    body: Buffer.concat(parts).toString("utf8"),
    peer: request.socket.remoteAddress ?? "",
  });
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function respond(delivery: Delivery, response: ServerResponse, clock: Clock): void {
  switch (delivery.as) {
    case "hang":
      return;
    case "refused":
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "garbage":
      response.socket?.end("\u0016\u0003\u0001 this is no HTTP\r\n\r\n");
      return;
    case "truncated":
    case "answer":
      if (delivery.after > 0) clock.after(delivery.after, () => send(delivery, response));
      else send(delivery, response);
  }
}

function send({ as, reply }: Extract<Delivery, { reply: unknown }>, response: ServerResponse): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, "content-length": String(body.length) });
  if (as === "answer") response.end(body);
  else response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}
