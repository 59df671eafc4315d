// Performs a scenario on the embedded server in virtual time, with the controllers given, and says what was observed.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { inProcessTransport, type Transport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { type Controller, type Log, manager } from "@telltale/runtime";
import { type Change, call, type Environment, look, pathOf } from "./environment.ts";
import { type JsonObject, text } from "./json.ts";
import { join } from "./kubelet.ts";
import type { Scenario } from "./scenario.ts";
import { type Mark, perform } from "./steps.ts";
import { type Observed, observed } from "./symbols.ts";

const namespace = "golden-replay";

export interface Replay extends Observed {
  /** Warnings and errors that the controllers logged. */
  readonly complaints: readonly string[];
  /** What went wrong with the steps themselves. What was observed up to there is there. */
  readonly failure: string | undefined;
}

export async function replay(scenario: Scenario, controllers: readonly Controller[], seed = 1): Promise<Replay> {
  const clock = new VirtualClock();
  const server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(seed),
    authorization: "always-allow",
    serviceAccounts: true,
    controllers: "core",
  });
  const changes: Change[] = [];
  let changedAt = clock.now();
  server.store.subscribe("/", server.store.revision, ({ revision, type, record }) => {
    const object = record.object() as JsonObject;
    if (text(object, "metadata", object["kind"] === "Namespace" ? "name" : "namespace") !== namespace) return;
    changes.push({ revision, type, object });
    if (object["kind"] !== "Event") changedAt = clock.now();
  });
  const traffic = counted(inProcessTransport(server.client));
  const complaints: string[] = [];
  const working = manager({
    name: "kube-controller-manager",
    transport: traffic.transport,
    controllers,
    clock,
    random: seededRandom(seed + 1),
    events: "v1",
    strict: true,
    log: complaining(complaints),
  });
  const stop = new AbortController();
  let crash: unknown;
  let isOver = false;
  working
    .run(stop.signal)
    .catch((error: unknown) => {
      crash = error;
    })
    .finally(() => {
      isOver = true;
    });

  const drain = () => drained(server, traffic.underWay);
  const env: Environment = {
    namespace,
    changes,
    revision: async () => server.store.revision,
    now: () => clock.now(),
    changedAt: () => changedAt,
    async pause(atMost) {
      await drain();
      if (crash !== undefined)
        throw new Error(`the manager has ended: ${crash instanceof Error ? crash.stack : crash}`);
      if (atMost <= 0) return;
      const end = instant(clock.now() + atMost);
      if (!clock.fire(end)) clock.advance(end - clock.now());
      await drain();
    },
    async send(method, path, body, contentType) {
      const headers = { "content-type": contentType ?? "application/json" };
      return server.client({ method, path, headers, ...(body === undefined ? {} : { body }) });
    },
  };

  let failure: string | undefined;
  try {
    await furnish(env);
    const begun = scenario.namespaceObjects === true ? 0 : changes.length;
    const marks: Mark[] = [];
    try {
      await perform(env, scenario, marks);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    return { ...observed(changes.slice(begun), marks, namespace, scenario), complaints, failure };
  } finally {
    stop.abort();
    for (let i = 0; i < 100 && !isOver; i += 1) {
      await drain();
      clock.fire(); // what its end waits for
    }
    await server.stop();
  }
}

/** The node, the namespace, and what a pod needs of its namespace where no controller makes it. */
async function furnish(env: Environment): Promise<void> {
  await join(env);
  await call(env, "POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await env.pause(0);
  const account = pathOf(env, "ServiceAccount");
  if ((await look(env, `${account}/default`)) === undefined) {
    await call(env, "POST", account, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } });
  }
  await env.pause(0);
}

/** Lets everything happen that needs no time: until no request is under way and nothing more is written. */
async function drained(server: ApiServer, underWay: () => number): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < 3; ) {
    await server.settle();
    const isQuiet = underWay() === 0 && seen === server.store.revision;
    quiet = isQuiet ? quiet + 1 : 0;
    seen = server.store.revision;
  }
}

/** A transport that knows how many of its requests have no answer yet. Watches do not count. */
function counted(transport: Transport): { readonly transport: Transport; underWay(): number } {
  let count = 0;
  return {
    underWay: () => count,
    transport: {
      async send(request) {
        count += 1;
        try {
          return await transport.send(request);
        } finally {
          count -= 1;
        }
      },
      close: () => transport.close(),
    },
  };
}

function complaining(lines: string[], more: object = {}): Log {
  const note = (level: string) => (message: string, fields?: object) => {
    lines.push(`${level}: ${message} ${JSON.stringify({ ...more, ...fields }, withErrors)}`);
  };
  return {
    debug: () => {},
    info: () => {},
    warn: note("warn"),
    error: note("error"),
    with: (fields) => complaining(lines, { ...more, ...fields }),
  };
}

const withErrors = (_key: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
