// A TCP proxy between operator and server that can be cut: connections are closed and new ones refused until it is opened
// again. It counts what goes through and understands nothing of it.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Wire {
  /** Bytes from the server to the operator. */
  received = 0;
  /** Connections that the operator made. */
  connections = 0;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#target = { host: hostname, port: Number(port) };
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Lets connections through: at first, and after a cut. */
  async open(): Promise<void> {
    const server = createServer((socket) => this.#join(socket));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Closes every connection, and refuses others. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = server === undefined ? undefined : once(server, "close");
    server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(operator: Socket): void {
    this.connections += 1;
    const server = connect(this.#target);
    server.on("data", (chunk: Buffer) => {
      this.received += chunk.length;
    });
    operator.pipe(server);
    server.pipe(operator);
    for (const [socket, other] of [
      [operator, server],
      [server, operator],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.once("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
