// A port on which a stand-in answers, and goes wrong in the ways of a socket where it is told to.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Delivery } from "./delivery.ts";
import type { Faults } from "./faults.ts";
import type { Asked } from "./routes.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly ask: (asked: Asked) => Delivery;
  /** Where `refuse` is among them, nobody listens. */
  readonly faults?: Faults;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

export async function listen({ host, port, clock, ask, faults }: ListenOptions): Promise<Listener> {
  const server = createServer((request, response) => {
    body(request).then(
      (text) =>
        respond(ask({ method: request.method ?? "GET", path: request.url ?? "/", body: text }), response, clock),
      () => response.destroy(),
    );
  });
  server.keepAliveTimeout = 1;
  await begin(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  let isClosed = false;
  let turn = Promise.resolve();
  faults?.onChange(() => {
    turn = turn.then(async () => {
      const isWanted = !isClosed && !faults.has("refuse");
      if (isWanted && !server.listening) await begin(server, host, bound);
      if (!isWanted && server.listening) await end(server);
    });
  });
  return {
    url: `http://${host}:${bound}`,
    async close() {
      isClosed = true;
      await turn;
      if (server.listening) await end(server);
    },
  };
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

async function body(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function respond(delivery: Delivery, response: ServerResponse, clock: Clock): void {
  switch (delivery.as) {
    case "hang":
      return;
    case "refused":
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "answer": {
      const { reply, after } = delivery;
      const send = () => response.writeHead(reply.status, reply.headers).end(reply.body);
      if (after > 0) clock.after(after, send);
      else send();
      return;
    }
    case "drip":
      response.writeHead(delivery.reply.status, delivery.reply.headers);
      drip(response, Buffer.from(delivery.reply.body), clock, delivery.every);
  }
}

function drip(response: ServerResponse, bytes: Buffer, clock: Clock, every: number): void {
  if (response.destroyed) return;
  if (bytes.length === 0) {
    response.end();
    return;
  }
  response.write(bytes.subarray(0, 1));
  clock.after(every, () => drip(response, bytes.subarray(1), clock, every));
}
