// How stand-ins of workers and their master talk: lines over TCP. `hello <id>`, `beat <id>` and `bye <id>` one way, `quit` the other.
// As with Locust, a connection that breaks is no news by itself: who is silent for long enough is missing.
import { connect, createServer, type Socket } from "node:net";
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Runner } from "./runner.ts";

const beatEvery: Ms = 1_000;
const retryEvery: Ms = 5_000;
const retries = 60;
/** Without its master a worker gives up, and nothing is wrong with it. */
const orphaned: Ms = 60_000;

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Takes workers in. Rejects where the port is taken. */
export function acceptWorkers({ host, port }: Place, runner: Runner): Promise<{ close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const ids = new Set<string>();
    onLines(socket, (line) => {
      const [word, id = ""] = line.split(" ");
      if (word === "hello") {
        ids.add(id);
        runner.join(id, () => socket.write("quit\n"));
      } else if (word === "beat") {
        runner.beat(id);
        runner.lose(id); // until the next beat
      } else if (word === "bye") {
        ids.delete(id);
        runner.leave(id);
      }
    });
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      for (const id of ids) runner.lose(id);
    });
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      resolve({
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      });
    });
  });
}

export interface WorkerOptions extends Place {
  readonly ids: readonly string[];
  readonly clock: Clock;
  /** Raised when the process shall end. */
  readonly signal: AbortSignal;
}

/** The life of a worker, to its exit code. */
export function runWorker({ host, port, ids, clock, signal }: WorkerOptions): Promise<number> {
  return new Promise((resolve) => {
    const timers = new Set<Timer>();
    let socket: Socket | undefined;
    let wasConnected = false;
    let failures = 0;
    const exit = (code: number) => {
      for (const timer of timers) timer.cancel();
      socket?.end();
      resolve(code);
    };
    const later = (delay: Ms, call: () => void) => {
      const timer = clock.after(delay, () => {
        timers.delete(timer);
        call();
      });
      timers.add(timer);
      return timer;
    };
    const tell = (word: string) => {
      for (const id of ids) socket?.write(`${word} ${id}\n`);
    };
    const beat = () => {
      tell("beat");
      later(beatEvery, beat);
    };
    let orphan: Timer | undefined;
    const attempt = () => {
      const open = connect({ host, port });
      open.once("connect", () => {
        socket = open;
        orphan?.cancel();
        tell("hello");
        if (!wasConnected) beat();
        wasConnected = true;
      });
      onLines(open, (line) => {
        if (line !== "quit") return;
        tell("bye");
        exit(0);
      });
      open.on("error", () => {});
      open.once("close", () => {
        if (socket === open) {
          socket = undefined;
          orphan = later(orphaned, () => exit(0));
        }
        failures += wasConnected ? 0 : 1;
        if (failures > retries) exit(255);
        else later(wasConnected ? beatEvery : retryEvery, attempt);
      });
    };
    signal.addEventListener("abort", () => {
      tell("bye");
      exit(0);
    });
    attempt();
  });
}

function onLines(socket: Socket, call: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) call(line);
  });
}
