// `telltale run`: operators against a cluster, until the program is asked to end.
import { isInCluster } from "@telltale/client";
import { type Log, type PinoLog, pinoLog } from "@telltale/runtime";
import type { Operator } from "../operators/operator.ts";
import { chosen } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { type Connected, connected } from "../program/connect.ts";
import { exit, misused, Problem } from "../program/problem.ts";
import { assertNoOther } from "../run/other-controllers.ts";
import { missingKinds, preflight } from "../run/preflight.ts";
import { type Served, serve } from "../run/serve.ts";

const levels = ["debug", "info", "warn", "error"] as const;

export async function run(call: Call): Promise<number> {
  const named = await chosen(call.values["operators"]);
  const level = levelIn(call);
  const port = portIn(call, "port", 8080);
  const webhookPort = call.flags.has("webhooks") ? portIn(call, "webhook-port", 9443) : undefined;
  return connected(call, async (at) => {
    const operators = call.values["operators"] === undefined ? await installed(call, at, named) : named;
    const log = await pinoLog({ level, clock: call.clock, destination: (line) => call.out.write(line) });
    for (const operator of operators) {
      const options = placeFor(call, operator);
      await preflight(at.client, operator, { ...options, elects: electsIn(call) });
      const warn = (message: string) => log.warn(message, { operator: operator.name });
      const takeOver = call.flags.has("take-over");
      await assertNoOther(at.client, operator, { ...options, now: call.clock.now(), takeOver, warn });
    }
    await work(call, at, { operators, port, webhookPort, log });
    return exit.well;
  });
}

interface Work {
  readonly operators: readonly Operator[];
  readonly port: number;
  readonly webhookPort: number | undefined;
  readonly log: PinoLog;
}

async function work(call: Call, at: Connected, { operators, port, webhookPort, log }: Work): Promise<void> {
  const { clock, random, signal } = call;
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  signal.addEventListener("abort", () => stop.abort(), { once: true });
  const host = call.values["host"] ?? "127.0.0.1";
  const served: Served[] = [];
  for (const [i, operator] of operators.entries()) {
    const { namespace, settings } = placeFor(call, operator);
    const own: Log = log.with({ operator: operator.name });
    const listen = { host, port: port === 0 ? 0 : port + i };
    const around = { transport: at.transport, client: at.client, clock, random, log: own, namespace, settings };
    const it = await serve(operator, { ...around, elects: electsIn(call), listen, webhookPort }, stop.signal);
    // Whoever fails takes the others along: half of what was asked for is not what was asked for.
    it.ended.catch(() => stop.abort());
    served.push(it);
    own.info("starts", { server: at.server, namespace, probes: `http://${host}:${listen.port}` });
  }
  const results = await Promise.allSettled(served.map(({ ended }) => ended));
  await log.flush();
  const failed = results.find((it) => it.status === "rejected");
  if (failed !== undefined) throw taken(failed.reason) ?? failed.reason;
}

/** A port that somebody else has. */
function taken(error: unknown): Problem | undefined {
  const where = /cannot listen on (\S+):/.exec(error instanceof Error ? error.message : "")?.[1];
  const { code, port } = error as { code?: string; port?: number };
  if (where === undefined && code !== "EADDRINUSE") return undefined;
  return new Problem(`${where ?? `port ${port}`} is taken`, "choose another with --port or --webhook-port");
}

/** Those whose definitions are there. */
async function installed(call: Call, { client }: Connected, all: readonly Operator[]): Promise<readonly Operator[]> {
  const found: Operator[] = [];
  for (const operator of all) {
    if ((await missingKinds(client, operator, placeFor(call, operator))).length === 0) found.push(operator);
  }
  if (found.length > 0) return found;
  throw new Problem("no operator is installed in this cluster", "telltale install all, or one by its name");
}

const electsIn = ({ flags }: Call): boolean => !flags.has("no-leader-election");

function placeFor({ values, env, settings, flags }: Call, operator: Operator) {
  return {
    namespace: values["namespace"] ?? env["POD_NAMESPACE"] ?? operator.namespace,
    settings: { ...(!isInCluster(env) && operator.outside), ...operator.settings(env, settings[operator.name] ?? {}) },
    webhooks: flags.has("webhooks"),
  };
}

function levelIn({ values, env }: Call): (typeof levels)[number] {
  const text = values["log-level"] ?? env["LOG_LEVEL"] ?? "info";
  const level = levels.find((it) => it === text);
  if (level === undefined) throw misused(`there is no log level ${text}`, `choose from ${levels.join(", ")}`);
  return level;
}

function portIn({ values }: Call, name: string, standard: number): number {
  const text = values[name] ?? String(standard);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw misused(`--${name} ${text}: a port is a number from 0 to 65535`, "0 is a free one");
}
