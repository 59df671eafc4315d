// Whatever is at the other end of the line: a call ends as an `RpcError`, within its deadline.
import { createServer, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from "node:net";
import { VirtualClock } from "@telltale/clock";
import { expect, it, onTestFinished } from "vitest";
import type { Code } from "../../src/contract/rpc-error.ts";
import { errorOf, pausing, until, wireTo } from "./stage.ts";

const silence = () => {};
const socketsThat: readonly [string, (socket: Socket) => void, RegExp][] = [
  ["takes the connection and says nothing", silence, /: no answer within 5 s$/],
  ["closes at once", (socket) => socket.end(), /closed before the provider said anything|ECONNRESET/],
  ["resets at once", (socket) => socket.resetAndDestroy(), /closed before the provider said anything|ECONNRESET/],
  ["speaks HTTP/1.1", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), /[Pp]rotocol error|closed before/],
  ["sends noise", (socket) => socket.write(noise), /[Pp]rotocol error/],
];

const noise = Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7_919 + (i >> 3)) & 0xff));

it.each(socketsThat)("a server that %s is unavailable", async (_what, act, why) => {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    act(socket);
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const clock = new VirtualClock();
  const call = errorOf(wireTo(port, {}, { clock }).ask("create", { name: "a" }, { deadline: 30_000 }));
  await until(() => sockets.size > 0);
  if (act === silence) clock.advance(5_000);
  await pausing(clock);
  clock.advance(30_000);
  expect(await call).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
  expect((await call).message).toMatch(why);
});

const grpc = { ":status": 200, "content-type": "application/grpc" };
const ok = { "grpc-status": "0" };

/** A message with its length in front; `flags` 1 says that it is compressed. */
function framed(message: Uint8Array, { length = message.length, flags = 0 } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

function answering(trailers: Record<string, string>, ...chunks: readonly Buffer[]) {
  return (stream: ServerHttp2Stream) => {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  };
}

const refusing = (trailers: Record<string, string>) => (stream: ServerHttp2Stream) =>
  stream.respond({ ...grpc, ...trailers }, { endStream: true });

const empty = framed(new Uint8Array());
const answersThat: readonly [string, (stream: ServerHttp2Stream) => void, Code][] = [
  ["is no protobuf", answering(ok, framed(noise)), "INTERNAL"],
  ["promises 4 GiB", answering(ok, framed(noise, { length: 2 ** 32 - 1 })), "RESOURCE_EXHAUSTED"],
  ["is shorter than it says", answering(ok, framed(noise, { length: 8_192 })), "INTERNAL"],
  ["ends within its head", answering(ok, Buffer.from([0, 0])), "INTERNAL"],
  ["comes twice", answering(ok, empty, empty), "INTERNAL"],
  ["is compressed though nobody asked", answering(ok, framed(noise, { flags: 1 })), "INTERNAL"],
  ["is nothing", answering(ok), "INTERNAL"],
  ["has no status", answering({}, empty), "INTERNAL"],
  ["has a status that is no number", answering({ "grpc-status": "banana" }, empty), "INTERNAL"],
  ["has a status that gRPC does not know", refusing({ "grpc-status": "99" }), "INTERNAL"],
  ["has a message that is wrongly encoded", refusing({ "grpc-status": "5", "grpc-message": "50%" }), "NOT_FOUND"],
  ["has details that are noise", refusing({ "grpc-status": "5", "grpc-status-details-bin": "AAECAwQF" }), "NOT_FOUND"],
  ["is a page of HTML", (stream) => stream.respond({ ":status": 200, "content-type": "text/html" }), "UNKNOWN"],
  ["comes from a proxy", (stream) => stream.respond({ ":status": 503 }, { endStream: true }), "UNAVAILABLE"],
  ["is about another service", (stream) => stream.respond({ ":status": 404 }, { endStream: true }), "UNIMPLEMENTED"],
  ["is a reset", (stream) => stream.close(2), "INTERNAL"],
  ["is a plea for calm", (stream) => stream.close(11), "RESOURCE_EXHAUSTED"],
  ["is a farewell", (stream) => stream.session?.goaway(2, 0, Buffer.from("bye")), "UNAVAILABLE"],
  ["begins and never ends", (stream) => stream.respond(grpc), "DEADLINE_EXCEEDED"],
  ["never comes", () => {}, "DEADLINE_EXCEEDED"],
];

it.each(answersThat)("an answer that %s is an RpcError", async (_what, act, code) => {
  const server = createServer();
  server.on("session", (session) => {
    session.on("error", () => {});
    onTestFinished(() => session.destroy());
  });
  let hasCome = false;
  server.on("stream", (stream) => {
    hasCome = true;
    stream.on("error", () => {});
    act(stream);
  });
  const port = await listening(server);
  const clock = new VirtualClock();
  const call = errorOf(wireTo(port, {}, { clock }).ask("create", { name: "a" }, { deadline: 30_000 }));
  await until(() => hasCome);
  if (code === "DEADLINE_EXCEEDED") clock.advance(30_000);
  const error = await call;
  expect([error.code, error.isUnsent]).toEqual([code, false]);
});

function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
