// One run of a scenario on a real control plane, in real time and in a namespace of its own.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { instant } from "@telltale/kinds";
import {
  type Change,
  call,
  type Environment,
  look,
  pathOf,
  watched,
} from "../../packages/workloads/test/golden/environment.ts";
import { type JsonObject, text } from "../../packages/workloads/test/golden/json.ts";
import { join } from "../../packages/workloads/test/golden/kubelet.ts";
import type { Scenario } from "../../packages/workloads/test/golden/scenario.ts";
import { type Mark, perform } from "../../packages/workloads/test/golden/steps.ts";
import { type Observed, observed } from "../../packages/workloads/test/golden/symbols.ts";
import type { ControlPlane } from "../envtest/envtest.ts";
import { type Connection, connect } from "./connection.ts";

/** Nobody renews the lease of the one node, so nothing may look at it. */
export const managerFlags: readonly string[] = [
  "--controllers=*,-node-lifecycle-controller,-taint-eviction-controller",
];

/** How often it is looked whether something has come. */
const glance = 20;

export async function record(plane: ControlPlane, scenario: Scenario): Promise<Observed> {
  const connection = connect(plane);
  const stop = new AbortController();
  try {
    const env = await begin(connection, stop.signal);
    const first = scenario.namespaceObjects === true ? 0 : env.changes.length;
    const marks: Mark[] = [];
    await perform(env, scenario, marks);
    return observed(env.changes.slice(first), marks, env.namespace, scenario);
  } finally {
    stop.abort();
    connection.close();
  }
}

/** A namespace that has settled, followed from its first moment. */
async function begin(connection: Connection, signal: AbortSignal): Promise<Environment> {
  const namespace = `golden-${randomBytes(4).toString("hex")}`;
  const changes: Change[] = [];
  let changedAt = Date.now();
  let failure: Error | undefined;
  const env: Environment = {
    namespace,
    changes,
    async revision() {
      const found = await call(env, "GET", "/api/v1/namespaces?limit=1");
      return Number(text(found, "metadata", "resourceVersion"));
    },
    now: () => instant(Date.now()),
    changedAt: () => instant(changedAt),
    async pause(atMost) {
      if (failure !== undefined) throw failure;
      await sleep(Math.min(Math.max(atMost, 1), glance));
    },
    send: connection.send,
  };
  const see = (type: Change["type"], object: JsonObject) => {
    const revision = Number(text(object, "metadata", "resourceVersion"));
    const place = changes.findLastIndex((it) => it.revision < revision) + 1;
    changes.splice(place, 0, { revision, type, object });
    if (object["kind"] !== "Event") changedAt = Date.now();
  };

  await join(env);
  const from = await env.revision();
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await call(env, "POST", "/api/v1/namespaces", own);
  const paths = [
    `/api/v1/namespaces?fieldSelector=metadata.name=${namespace}`,
    ...watched.map((kind) => pathOf(env, kind)),
  ];
  for (const path of paths) {
    const query = `${path.includes("?") ? "&" : "?"}watch=true&resourceVersion=${from}`;
    connection.follow(`${path}${query}`, signal, see).catch((error: unknown) => {
      failure = new Error(`the watch of ${path} ended: ${error instanceof Error ? error.message : error}`);
    });
  }
  await furnished(env);
  return env;
}

/** Until the controllers have made what every namespace has, and nothing more comes. */
async function furnished(env: Environment): Promise<void> {
  const paths = [pathOf(env, "ServiceAccount", "default"), pathOf(env, "ConfigMap", "kube-root-ca.crt")];
  const end = env.now() + 60_000;
  for (const path of paths) {
    while ((await look(env, path)) === undefined) {
      if (env.now() > end) throw new Error(`kube-controller-manager has not made ${path} within a minute`);
      await env.pause(glance);
    }
  }
  while (env.now() < env.changedAt() + 1_000) await env.pause(glance);
}
