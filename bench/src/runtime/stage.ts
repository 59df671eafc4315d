// The same world for every operator: a control plane that starts from one copy of the same etcd data, with the CRDs, the
// operator's role and all objects already in it.
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { toCrd } from "@telltale/kinds";
import { type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { Api, inLanes } from "./api.ts";
import { AuditLog, auditFlags, auditPolicy, operatorUser } from "./audit.ts";
import { group, Shelf, Widget } from "./kinds.ts";
import { type Cores, pin } from "./proc.ts";
import {
  emptyNamespace,
  expectedWidget,
  namespace,
  seedTime,
  shelf,
  shelfCount,
  shelvesPath,
  type WidgetObject,
  widget,
  widgetsPath,
} from "./widgets.ts";

export interface Seed {
  /** etcd's folder, to copy. */
  readonly data: string;
  readonly token: string;
  readonly objects: number;
  /** How many bytes one widget has, as the server sends it. */
  readonly bytes: number;
}

export interface Stage {
  readonly plane: ControlPlane;
  readonly api: Api;
  readonly audit: AuditLog;
  readonly folder: string;
  /** A kubeconfig for the operator, by way of another address where one is given. */
  kubeconfig(url?: string): string;
  stop(): Promise<void>;
}

/** Makes the world once. */
export async function seed(
  assets: string,
  folder: string,
  objects: number,
  say: (line: string) => void,
): Promise<Seed> {
  const data = join(folder, "seed");
  const plane = await startControlPlane({ assets, data });
  const api = new Api(plane);
  try {
    await definitions(api);
    await role(api);
    for (const name of [namespace, emptyNamespace]) {
      await api.must("POST", "/api/v1/namespaces", { metadata: { name } });
    }
    const owners: { name: string; uid: string }[] = [];
    for (let i = 0; i < shelfCount; i += 1) {
      const { metadata } = await api.must<{ metadata: { name: string; uid: string } }>("POST", shelvesPath, shelf(i));
      owners.push(metadata);
    }
    let made = 0;
    const bodies = Array.from({ length: objects }, (_, i) =>
      widget(i, owners[i % shelfCount] ?? { name: "", uid: "" }),
    );
    await inLanes(16, bodies, async (body) => {
      const created = await api.must<WidgetObject>("POST", `${widgetsPath}?fieldManager=kubectl-create`, body);
      const { observedGeneration, conditions } = expectedWidget(created);
      const timed = conditions.map((condition) => ({ ...condition, lastTransitionTime: seedTime }));
      await api.must("PUT", `${widgetsPath}/${created.metadata.name}/status?fieldManager=operator`, {
        ...created,
        status: { observedGeneration, conditions: timed },
      });
      made += 1;
      if (made % 2_000 === 0) say(`${made} of ${objects} objects are made`);
    });
    const { text } = await api.send("GET", `${widgetsPath}?limit=1`);
    return { data, token: randomBytes(16).toString("hex"), objects, bytes: text.length };
  } finally {
    api.close();
    await plane.stop();
  }
}

/** Starts a control plane from a copy of the seed. */
export async function raise(assets: string, folder: string, from: Seed, cores: Cores | undefined): Promise<Stage> {
  const own = mkdtempSync(join(folder, "stage-"));
  const data = join(own, "etcd");
  cpSync(from.data, data, { recursive: true });
  const policy = join(own, "policy.json");
  writeFileSync(policy, auditPolicy);
  const log = join(own, "audit.log");
  const plane = await startControlPlane({
    assets,
    data,
    tokens: [`${from.token},${operatorUser},${operatorUser}`],
    apiserverFlags: auditFlags(policy, log),
  });
  if (cores !== undefined) {
    pin(plane.pids().etcd, cores.etcd);
    pin(plane.pids().apiserver, cores.apiserver);
  }
  const api = new Api(plane);
  await served(api);
  return {
    plane,
    api,
    audit: new AuditLog(log),
    folder: own,
    kubeconfig: (url = plane.url) => writeKubeconfig(own, url, from.token, plane.ca),
    async stop() {
      api.close();
      await plane.stop();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

async function definitions(api: Api): Promise<void> {
  for (const kind of [Widget, Shelf]) {
    await api.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", toCrd(kind));
  }
  await served(api);
}

/** Until both kinds can be read, and stay so: a server that has just started fills its caches, sometimes twice. */
export async function served(api: Api): Promise<void> {
  for (let good = 0; good < 5; ) {
    const answers = await Promise.all([widgetsPath, shelvesPath].map((path) => api.send("GET", fromCache(path))));
    good = answers.every(({ status }) => status === 200) ? good + 1 : 0;
    await sleep(200);
  }
}

const fromCache = (path: string): string => `${path}?resourceVersion=0&labelSelector=none`;

/** An ordinary user, subject to priority and fairness as in a cluster, with the rights that the work needs. */
async function role(api: Api): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const metadata = { name: operatorUser };
  const resources = [Widget.plural, Shelf.plural];
  const rules = [
    { apiGroups: [group], resources, verbs: ["get", "list", "watch"] },
    { apiGroups: [group], resources: resources.map((name) => `${name}/status`), verbs: ["get", "update", "patch"] },
    { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  ];
  await api.must("POST", `${rbac}/clusterroles`, { metadata, rules });
  await api.must("POST", `${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: operatorUser },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: operatorUser }],
  });
}

function writeKubeconfig(folder: string, server: string, token: string, ca: string): string {
  const path = join(folder, `kubeconfig-${new URL(server).port}`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "bench", cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
    ],
    users: [{ name: operatorUser, user: { token } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: operatorUser } }],
    "current-context": "bench",
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
