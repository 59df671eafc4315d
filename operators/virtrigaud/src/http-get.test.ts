import { createServer, type Server, type Socket } from "node:net";
import { VirtualClock } from "@telltale/clock";
import { afterEach, expect, it } from "vitest";
import type { Checked } from "./addresses.ts";
import { checkedGet } from "./http-get.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Accepts connections on a port of this machine, and passes them on. */
async function serve(accept: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    sockets.push(socket);
    accept(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const loopback = async (): Promise<Checked> => ({ is: "allowed", addresses: ["127.0.0.1"] });
const never = new AbortController().signal;

it("ends at its deadline, also where the server keeps sending a header byte by byte", async () => {
  const clock = new VirtualClock();
  const { promise: requested, resolve } = Promise.withResolvers<Socket>();
  const port = await serve((socket) => void socket.once("data", () => resolve(socket)));
  const response = checkedGet(loopback, clock)(`http://hook.test:${port}/`, { timeout: 5_000, signal: never });
  const rejected = expect(response).rejects.toThrow("no answer within 5 s");
  const socket = await requested;
  const closed = new Promise((end) => socket.once("close", end));
  for (const byte of "HTTP/1.1 ") {
    socket.write(byte);
    clock.advance(500);
  }
  clock.advance(500);
  await rejected;
  await closed;
});

it("ends at its deadline while the host is looked up", async () => {
  const clock = new VirtualClock();
  const response = checkedGet(() => new Promise(() => {}), clock)("http://hook.test/", {
    timeout: 5_000,
    signal: never,
  });
  const rejected = expect(response).rejects.toThrow("no answer within 5 s");
  clock.advance(5_000);
  await rejected;
});

it("returns the status and closes the connection, also where the body has no end", async () => {
  const clock = new VirtualClock();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const port = await serve((socket) => {
    socket.once("data", () => socket.write("HTTP/1.1 204 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n"));
    socket.once("close", () => resolve());
  });
  const get = checkedGet(loopback, clock);
  expect(await get(`http://hook.test:${port}/`, { timeout: 5_000, signal: never })).toBe(204);
  await closed;
  expect(clock.next()).toBeUndefined();
});

it("stops when the reconcile is aborted", async () => {
  const aborted = new AbortController();
  const port = await serve(() => {});
  const options = { timeout: 5_000, signal: aborted.signal };
  const response = checkedGet(loopback, new VirtualClock())(`http://hook.test:${port}/`, options);
  aborted.abort(new Error("the process stops"));
  await expect(response).rejects.toThrow("the process stops");
});
