// The control plane of a stand-in: for whoever runs a test and cannot call it directly. All of it is JSON below `/_ctl`.
import type { Instant } from "@telltale/kinds";
import { type Faults, faultFrom, isFaultName } from "./faults.ts";
import type { Asked, Reply } from "./routes.ts";
import type { Runner, State, WorkerState } from "./runner.ts";

export interface Desk {
  readonly runner: Runner;
  readonly faults: Faults;
  readonly requests: readonly object[];
  readonly now: () => Instant;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * `GET /_ctl/requests`, `GET /_ctl/state`; `POST` of `/_ctl/workers`, `/totals`, `/users`, `/state`, `/outcome`, `/faults`;
 * `DELETE /_ctl/faults`.
 */
export function control({ method, path, body = "" }: Asked, desk: Desk): Reply {
  const [plain = "", query = ""] = path.split("?");
  const about = `${method} ${plain}`;
  if (about === "GET /_ctl/requests") return say(200, desk.requests);
  if (about === "GET /_ctl/state") return say(200, stateOf(desk.runner));
  if (about === "DELETE /_ctl/faults") {
    const name = new URLSearchParams(query).get("is") ?? undefined;
    if (name !== undefined && !isFaultName(name))
      return say(400, { error: `there is no fault ${JSON.stringify(name)}` });
    desk.faults.clear(name);
    return say(200, {});
  }
  const change = changes[about];
  if (change === undefined) return say(404, { error: `there is no ${about}` });
  const given = parsed(body);
  const error = given === undefined ? "the body is no JSON object" : change(given, desk);
  return error === undefined ? say(200, stateOf(desk.runner)) : say(400, { error });
}

/** Each says what is wrong with what it was given, or does it. */
const changes: Readonly<Record<string, (body: Body, desk: Desk) => string | undefined>> = {
  /** `{"workers": [{"id", "state"}]}`: the list as it is; `{"count": 3}`: so many that are well. */
  "POST /_ctl/workers": ({ workers, count }, { runner }) => {
    if (isCount(count)) {
      runner.forceWorkers([]);
      for (let i = 0; i < count; i += 1) runner.join(workerId(`worker-${i}`));
      return undefined;
    }
    if (!Array.isArray(workers) || !workers.every(isWorker))
      return "give a `count`, or `workers` with `id` and `state`";
    runner.forceWorkers(workers);
    return undefined;
  },
  "POST /_ctl/totals": ({ requests, failures = 0, average = 100 }, { runner, now }) => {
    if (!isCount(requests) || !isCount(failures) || typeof average !== "number")
      return "give `requests`, a whole number";
    runner.load.set({ requests, failures, average }, now());
    return undefined;
  },
  "POST /_ctl/users": ({ users }, { runner }) => {
    if (!isCount(users)) return "give `users`, a whole number";
    runner.force({ users });
    return undefined;
  },
  "POST /_ctl/state": ({ state }, { runner }) => {
    if (!isState(state)) return `give \`state\`: one of ${states.join(", ")}`;
    runner.force({ state });
    return undefined;
  },
  "POST /_ctl/outcome": ({ exitCode, exceptions, crashed }, { runner }) => {
    runner.outcome({
      ...(isCount(exitCode) && { exitCode }),
      ...(isCount(exceptions) && { exceptions }),
      ...(typeof crashed === "boolean" && { crashed }),
    });
    return undefined;
  },
  "POST /_ctl/faults": ({ times, forMs, ...rest }, { faults }) => {
    const fault = faultFrom(rest);
    if (fault === undefined) return "give `is`, the name of a fault, and what it needs";
    if (fault.is === "refuse" && times !== undefined) return "nobody sees a request that was refused: give `forMs`";
    faults.add(fault, { ...(isCount(times) && { times }), ...(isCount(forMs) && { ms: forMs }) });
    return undefined;
  },
};

const states = ["ready", "spawning", "running", "stopping", "stopped"] as const satisfies readonly State[];
const workerStates: readonly unknown[] = ["ready", "spawning", "running", "missing"] satisfies readonly WorkerState[];

const isState = (value: unknown): value is State => states.some((it) => it === value);

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const isWorker = (value: unknown): value is { id: string; state: WorkerState } =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "state" in value &&
  workerStates.includes(value.state);

/** What a worker on this host would call itself. */
export const workerId = (host: string): string => `${host}_${[...host].reduce(hash, 7).toString(16).padStart(32, "0")}`;

const hash = (sum: number, letter: string): number => (sum * 31 + letter.charCodeAt(0)) % 2 ** 32;

function stateOf(runner: Runner): object {
  const { state, users, workers, workerCount, exitCode } = runner;
  runner.look();
  const { requests, failures } = runner.load.total;
  return { state, users, workers, workerCount, exitCode, totals: { requests, failures } };
}

function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

const say = (status: number, body: object): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
