// A talk with the agent inside a guest, through QEMU. A guest may have none, or one that lies: every answer has a limit and is checked.
import type { Socket } from "node:net";
import { isIP } from "node:net";
import { sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Host } from "./host.ts";
import { member, onLines } from "./lines.ts";
import { within } from "./qmp.ts";

/** Why an agent gave no answer, for code; the message is for people. */
export type AgentErrorReason = "noChannel" | "closed" | "noAnswer" | "refused" | "commandTimeout";

export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly reason: AgentErrorReason;

  constructor(reason: AgentErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Asks the agent of one guest. */
export type AskAgent = (command: string, values?: Readonly<Record<string, unknown>>, limit?: Ms) => Promise<unknown>;

/** Connects, sees that somebody answers within the limit, and lets `use` ask. QEMU takes one talk at a time: it is ended at once. */
export async function withAgent<T>(
  host: Host,
  path: string,
  limit: Ms,
  use: (ask: AskAgent) => Promise<T>,
): Promise<T> {
  const socket = await host.connect(path).catch(() => {
    throw new AgentError("noChannel", "the guest's channel is not there");
  });
  socket.on("error", () => socket.destroy());
  try {
    const ask = talk(host, socket);
    const id = Math.floor(host.random.next() * 2 ** 31);
    await ask("guest-sync-delimited", { id }, limit);
    return await use(ask);
  } finally {
    socket.destroy();
  }
}

function talk(host: Host, socket: Socket): AskAgent {
  let heard: (value: unknown, hadDelimiter: boolean) => void = () => {};
  let ended: (error: Error) => void = () => {};
  onLines(socket, (value, hadDelimiter) => heard(value, hadDelimiter));
  socket.once("close", () => ended(new AgentError("closed", "the guest's channel was closed")));
  return (command, values = {}, limit = 5000) => {
    const isSync = command === "guest-sync-delimited";
    const answer = new Promise<unknown>((resolve, reject) => {
      ended = reject;
      heard = (value, hadDelimiter) => {
        if (isSync && (!hadDelimiter || member(value, "return") !== values["id"])) return;
        const error = member(value, "error");
        if (error === undefined) resolve(member(value, "return"));
        else reject(new AgentError("refused", String(member(error, "desc")).slice(0, 256)));
      };
    });
    // A guest that has read half a line is brought back to its senses by 0xff.
    socket.write(isSync ? Buffer.from([0xff]) : "");
    socket.write(`${JSON.stringify({ execute: command, arguments: values })}\n`);
    return within(
      host.clock,
      answer,
      limit,
      () => new AgentError("noAnswer", `no guest agent answers within ${limit} ms`),
    );
  };
}

/** The addresses that a guest says it has, IPv4 first, without those that reach nobody. */
export function addressesIn(interfaces: unknown): readonly string[] {
  const all = (Array.isArray(interfaces) ? interfaces : []).slice(0, 64).flatMap((one: unknown) => {
    const addresses = member(one, "ip-addresses");
    return (Array.isArray(addresses) ? addresses : [])
      .slice(0, 64)
      .map((address: unknown) => member(address, "ip-address"));
  });
  const useful = all.filter(
    (one) => typeof one === "string" && isIP(one) !== 0 && !/^(127\.|169\.254\.|::1$|fe[89ab])/i.test(one),
  );
  const unique = [...new Set(useful.filter((one) => typeof one === "string"))];
  return [...unique.filter((one) => isIP(one) === 4), ...unique.filter((one) => isIP(one) === 6)];
}

export interface Executed {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Runs a command in the guest and waits for its end. */
export async function execute(host: Host, ask: AskAgent, command: readonly string[], limit: Ms): Promise<Executed> {
  const [path = "", ...rest] = command;
  const started = await ask("guest-exec", { path, arg: rest, "capture-output": true });
  const pid = member(started, "pid");
  const until = host.clock.uptime() + limit;
  for (;;) {
    const status = await ask("guest-exec-status", { pid });
    if (member(status, "exited") === true) {
      const code = member(status, "exitcode");
      return {
        // A shell says the same of a program that a signal ended.
        exitCode: typeof code === "number" ? code : 128 + Number(member(status, "signal") ?? 0),
        stdout: output(member(status, "out-data")),
        stderr: output(member(status, "err-data")),
      };
    }
    if (host.clock.uptime() >= until)
      throw new AgentError("commandTimeout", `the command did not end within ${limit} ms`);
    await sleep(host.clock, 200);
  }
}

function output(base64: unknown): Uint8Array {
  return typeof base64 === "string" ? new Uint8Array(Buffer.from(base64, "base64")) : new Uint8Array();
}
