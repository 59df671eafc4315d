// The real adapter of the port: one message and its answer over TCP, which takes zones' worth of changes in a message.
import { connect } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { endpointOf } from "../bindcar/address.ts";
import { unreachedOf } from "../bindcar/http-wire.ts";
import { Unreached } from "../bindcar/wire.ts";

/** The port to a DNS server. */
export interface DnsWire {
  /** Rejects with `Unreached` where no answer came, or with the signal's reason. */
  send(endpoint: string, message: Buffer, signal: AbortSignal): Promise<Buffer>;
}

export interface TcpWireOptions {
  readonly clock: Clock;
  /** Until the answer. Default: 15 s. */
  readonly timeout?: Ms;
}

export function tcpWire({ clock, timeout = 15_000 }: TcpWireOptions): DnsWire {
  return { send: (endpoint, message, signal) => exchange(endpoint, message, signal, clock, timeout) };
}

function exchange(endpoint: string, message: Buffer, signal: AbortSignal, clock: Clock, timeout: Ms): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const place = endpointOf(endpoint);
    if (place === undefined) {
      reject(new Unreached("name not found"));
      return;
    }
    const socket = connect({ host: place.text, port: place.port ?? 53 });
    const timer = clock.after(timeout, () => socket.destroy(new Unreached("timeout")));
    const abort = () => socket.destroy(new Unreached("failed"));
    signal.addEventListener("abort", abort, { once: true });
    let received = Buffer.alloc(0);
    socket.on("data", (part: Buffer) => {
      received = Buffer.concat([received, part]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      resolve(received.subarray(2, 2 + received.readUInt16BE(0)));
      socket.destroy();
    });
    socket.once("error", (error) => reject(signal.aborted ? signal.reason : unreachedOf(error)));
    socket.once("close", () => {
      timer.cancel();
      signal.removeEventListener("abort", abort);
      reject(signal.aborted ? signal.reason : new Unreached("reset")); // nothing, where there was an answer
    });
    const size = Buffer.alloc(2);
    size.writeUInt16BE(message.length);
    socket.write(Buffer.concat([size, message]));
    if (signal.aborted) abort();
  });
}
