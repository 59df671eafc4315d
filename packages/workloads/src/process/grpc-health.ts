// gRPC's health check with nothing but HTTP/2: one message there, one back.
import { connect } from "node:http2";
import type { Verdict } from "./probe.ts";
import { textOf } from "./refusal.ts";

export function checkHealth(
  { host, port }: { readonly host: string; readonly port: number },
  service: string,
  signal: AbortSignal,
): Promise<Verdict> {
  return new Promise((resolve) => {
    const place = `${host}:${port}`;
    const session = connect(`http://${place}`);
    const chunks: Buffer[] = [];
    let size = 0;
    let status: string | undefined;
    let message = "";
    const done = (verdict: Verdict) => {
      session.destroy();
      resolve(verdict);
    };
    const fail = (text: string) => done({ is: "failure", message: text });
    const problem = (error: unknown) =>
      session.connecting
        ? `error: failed to connect service at "${place}": ${textOf(error)}`
        : `error: health rpc probe failed: ${textOf(error)}`;
    session.once("error", (error) => fail(problem(error)));
    signal.addEventListener("abort", () => fail("the probe was given up"), { once: true });
    const call = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "kube-probe/1.36",
    });
    const heard = (headers: Readonly<Record<string, unknown>>) => {
      if (headers["grpc-status"] !== undefined) status = String(headers["grpc-status"]);
      if (headers["grpc-message"] !== undefined) message = String(headers["grpc-message"]);
    };
    call.on("response", heard);
    call.on("trailers", heard);
    call.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= longestAnswer) chunks.push(chunk);
    });
    call.once("error", (error) => fail(problem(error)));
    call.once("end", () => done(verdictOf(status, message, Buffer.concat(chunks))));
    call.end(framed(request(service)));
  });
}

const longestAnswer = 4_096;
const unimplemented = "12";
const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

function verdictOf(status: string | undefined, message: string, body: Buffer): Verdict {
  if (status === unimplemented) {
    const text = "error: this server does not implement the grpc health protocol (grpc.health.v1.Health)";
    return { is: "failure", message: `${text}: ${message}` };
  }
  if (status !== "0")
    return { is: "failure", message: `error: health rpc probe failed: status ${status ?? "missing"} ${message}` };
  const serving = servingStatus(body);
  if (serving === 1) return { is: "success" };
  return { is: "failure", message: `service unhealthy (responded with "${statuses[serving] ?? serving}")` };
}

/** `HealthCheckRequest { string service = 1 }`. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  return name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** `HealthCheckResponse { ServingStatus status = 1 }`: its first field, or 0 where there is none. */
function servingStatus(body: Buffer): number {
  return body.length >= 7 && body[5] === 0x08 ? (body[6] ?? 0) : 0;
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
