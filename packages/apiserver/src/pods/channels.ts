// The streams of a command over one WebSocket: the first byte of a message says which one it belongs to.
import type { JsonObject } from "../json.ts";
import type { MessageSocket, Upgrade } from "../request.ts";
import { StatusError } from "../status.ts";
import { unlessGone } from "../transport/pace.ts";
import type { ExecOptions, ExecSession } from "./access.ts";

/** v5 can say that a stream of the client's has ended; v4 cannot. The client's order decides. */
export const execProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"] as const;

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3 } as const;
const closed = 255;

export interface Execution {
  readonly protocol: string;
  readonly start: (signal: AbortSignal) => Promise<ExecSession>;
  readonly options: Pick<ExecOptions, "command" | "stdin" | "stdout" | "stderr">;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
}

export function execution(it: Execution): Upgrade {
  return {
    protocol: it.protocol,
    open(socket) {
      converse(it, socket).catch(() => socket.close(1011, "the connection broke"));
    },
  };
}

async function converse(it: Execution, socket: MessageSocket): Promise<void> {
  const { stdout, stderr, command } = it.options;
  const signal = AbortSignal.any([socket.gone, it.closing]);
  // The first of its channels tells the client that the connection is there.
  await send(socket, stdout ? channels.stdout : stderr ? channels.stderr : channels.error, new Uint8Array());
  let end: JsonObject;
  try {
    const session = await it.start(signal);
    // What comes from the client and cannot be read is the end of the connection.
    feed(it, socket, session).catch(() => socket.close(1011, "the connection broke"));
    await Promise.all([
      ...(stdout ? [pour(session.stdout, channels.stdout, socket, signal)] : []),
      ...(stderr ? [pour(session.stderr, channels.stderr, socket, signal)] : []),
    ]);
    const { exitCode } = await session.ended;
    // Whoever only looked on is told nothing of how it ended.
    end = command === undefined ? success : ended(exitCode);
  } catch (error) {
    end = failure(error);
  }
  await send(socket, channels.error, Buffer.from(JSON.stringify(end)));
  socket.close();
}

async function pour(
  chunks: AsyncIterable<Uint8Array>,
  channel: number,
  socket: MessageSocket,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of unlessGone(chunks, signal)) await send(socket, channel, chunk);
}

/** What the client writes goes to the command, up to the end of it. */
async function feed({ options, protocol }: Execution, socket: MessageSocket, session: ExecSession): Promise<void> {
  const [canEnd] = execProtocols;
  let isOpen = options.stdin;
  const write = (bytes: Uint8Array | undefined) => {
    try {
      session.write(bytes);
    } catch {
      isOpen = false; // a command that takes no more input goes on without
    }
  };
  for await (const message of socket.messages()) {
    const [channel, which] = message;
    if (!isOpen) continue;
    if (channel === channels.stdin && message.length > 1) write(message.subarray(1));
    else if (channel === closed && which === channels.stdin && protocol === canEnd) {
      write(undefined);
      isOpen = false;
    }
  }
  if (isOpen) write(undefined);
}

async function send(socket: MessageSocket, channel: number, bytes: Uint8Array): Promise<void> {
  const message = Buffer.allocUnsafe(1 + bytes.length);
  message[0] = channel;
  message.set(bytes, 1);
  await socket.send(message);
}

const success: JsonObject = { metadata: {}, status: "Success" };

const ended = (exitCode: number): JsonObject =>
  exitCode === 0
    ? success
    : {
        metadata: {},
        status: "Failure",
        message: `command terminated with non-zero exit code: exit status ${exitCode}`,
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
      };

function failure(error: unknown): JsonObject {
  const why = error instanceof Error ? error.message : String(error);
  const said = `error executing command in container: ${why}`;
  const {
    kind: _k,
    apiVersion: _v,
    ...status
  } = new StatusError(500, "InternalError", `Internal error occurred: ${said}`, { causes: [{ message: said }] }).body();
  return status;
}
