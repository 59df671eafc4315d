// `pods/portforward` over plain channels of a WebSocket: two for each port, one for its bytes and one for what went wrong.
import { connect, type Socket } from "node:net";
import type { MessageSocket, Upgrade } from "../request.ts";

/** What kubectl speaks instead, SPDY inside of a WebSocket, is not served. */
export const forwardProtocol = "v4.channel.k8s.io";

type Address = { readonly host: string; readonly port: number };

export interface Forwarding {
  readonly ports: readonly number[];
  readonly address: (port: number) => Address | undefined;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

export function forwarding(it: Forwarding): Upgrade {
  return {
    protocol: forwardProtocol,
    open(socket) {
      forward(it, socket).catch(() => socket.close(1011, "the connection broke"));
    },
  };
}

async function forward({ ports, address, closing }: Forwarding, socket: MessageSocket): Promise<void> {
  const connections: (Socket | undefined)[] = [];
  const end = () => {
    for (const connection of connections) connection?.destroy();
    socket.close();
  };
  closing.addEventListener("abort", end, { once: true });
  try {
    for (const [i, port] of ports.entries()) {
      // Both channels begin with the port that they are for.
      for (const channel of [2 * i, 2 * i + 1]) await socket.send(Buffer.from([channel, port & 0xff, port >> 8]));
      connections.push(open(address(port), 2 * i, port, socket));
    }
    for await (const message of socket.messages()) {
      const [channel = 0] = message;
      const connection = channel % 2 === 0 ? connections[channel / 2] : undefined;
      if (connection === undefined || connection.destroyed || message.length === 1) continue;
      if (!connection.write(message.subarray(1))) await drained(connection);
    }
  } finally {
    closing.removeEventListener("abort", end);
    end();
  }
}

/** The bytes of one port. */
function open(to: Address | undefined, channel: number, port: number, socket: MessageSocket): Socket | undefined {
  const failed = (why: string) => {
    void socket.send(Buffer.concat([Buffer.from([channel + 1]), Buffer.from(why)]));
  };
  if (to === undefined) {
    failed(`error forwarding port ${port}: nothing listens there`);
    return undefined;
  }
  const connection = connect(to.port, to.host);
  connection.on("error", (error) => failed(`error forwarding port ${port}: ${error.message}`));
  connection.on("data", (bytes: Buffer) => {
    connection.pause();
    void socket.send(Buffer.concat([Buffer.from([channel]), bytes])).then(() => connection.resume());
  });
  return connection;
}

const drained = (connection: Socket): Promise<void> =>
  new Promise((resolve) => {
    connection.once("drain", () => resolve());
    connection.once("close", () => resolve());
  });
