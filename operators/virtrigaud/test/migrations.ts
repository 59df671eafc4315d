// A stage for migrations: two providers that share their staging, the controllers of machines and snapshots, and S3 in memory.
import { inProcessTransport } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import { Node, Secret, StorageClass } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import type { SimulatedOptions } from "@telltale/workloads";
import { VMClass, VMMigration } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmMigrations } from "../src/vm-migration/controller.ts";
import type { Outside } from "../src/vm-migration/outside.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { type Home, home } from "./home.ts";
import { jobControllers, jobPods, node, storageClass, tools, untaint } from "./job-pods.ts";
import { type ProviderOptions, type Sent, type Stage, stage, type Tools } from "./stage.ts";

export type Migrations = Awaited<ReturnType<typeof migrations>>;

/** `pods`: what runs the pods of its Jobs, in a cluster that is there then. */
export async function migrations({ idle = false, pods }: MigrationsOptions = {}) {
  let it: Stage | undefined;
  /** Addresses that answer. */
  const answering = new Set<string>();
  const url = ({ bucket, key }: { readonly bucket: string; readonly key: string }) => `s3://${bucket}/${key}`;
  const outside: Outside = {
    async head(object) {
      const found = it?.staging.get(url(object));
      return found === undefined ? { is: "missing" } : { is: "there", size: found.bytes.length };
    },
    async remove(object) {
      it?.staging.remove(url(object));
      return undefined;
    },
    knock: async (address) => answering.has(address),
  };
  const controllers = ({ links, random }: Tools) => {
    const ways = { links, tls: new KnownSecrets(), places: new Reservations() };
    const crossing = { isFree: false };
    const lookup = async () => ["192.0.2.10"];
    return [
      virtualMachines({
        workers: 10,
        senses: { ...ways, random, streaks: new Streaks(), crossing, httpGet: async () => 200 },
      }),
      vmSnapshots({ ...ways, workers: 5 }),
      vmMigrations({ ...ways, crossing, addresses: {}, lookup, workers: 3, outside, ...(pods && { tools }) }),
    ];
  };
  const s = await stage({ controllers, idle });
  it = s;
  if (pods === undefined) return { s, answering, end: () => s.end() };
  const runtime = jobPods(() => s.staging, pods);
  const stop = new AbortController();
  const transport = inProcessTransport(s.server.client);
  const around = { transport, clock: s.clock, random: seededRandom(5), events: "v1" } as const;
  const cluster = manager({ name: "cluster", controllers: jobControllers(runtime), ...around }).run(stop.signal);
  await s.client.create(Node, node);
  await s.client.create(StorageClass, storageClass);
  await s.pass(1_000);
  await untaint(s.client);
  const end = async () => {
    stop.abort();
    await s.pass(1_000);
    await s.end();
    await cluster;
  };
  return { s, answering, end, rules: runtime.rules };
}

interface MigrationsOptions {
  readonly idle?: boolean;
  readonly pods?: SimulatedOptions;
}

interface GroundOptions {
  readonly from?: ProviderOptions;
  readonly to?: ProviderOptions;
}

/** Providers `old` and `new`, and the machine `web` on the first. */
export async function ground(s: Stage, { from = {}, to = {} }: GroundOptions = {}) {
  const h = await home(s);
  await h.apply(VMClass, "small", { cpu: 2, memory: "4Gi" });
  const old = await h.provider("old", from);
  const next = await h.provider("new", to);
  const id = await h.machine(old, "web", { provider: { name: "old" }, spec: { powerState: "On" } });
  await s.pass(5_000);
  s.writes();
  await s.client.create(Secret, { ...bucket, metadata: { name: "s3", namespace: h.namespace } });
  return { h, old, next, id };
}

/** The canary in it must never be seen anywhere. */
export const canary = "c4n4ry-S3cr3t";
const bucket: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  data: {
    accessKeyID: Buffer.from("key").toString("base64"),
    secretAccessKey: Buffer.from(canary).toString("base64"),
  },
};

export const s3 = {
  type: "s3",
  s3: { bucket: "disks", endpoint: "https://minio", credentialsSecretRef: { name: "s3" } },
};
export const claim = { type: "pvc", pvc: { storageClassName: "fast", size: "20Gi" } };

export const migrate = (h: Home, name: string, more: Wanted = {}) => {
  const { source, target, metadata, ...rest } = more;
  return h.apply(
    VMMigration,
    name,
    {
      source: { vmRef: { name: "web" }, ...source },
      target: { name: "web2", providerRef: { name: "new" }, ...target },
      storage: s3,
      ...rest,
    },
    metadata,
  );
};

interface Wanted {
  readonly source?: object;
  readonly target?: object;
  readonly storage?: object;
  readonly options?: object;
  readonly metadata?: object;
}

/** What was written in the status of a migration, in order: `Exporting 30`. */
export function phasesIn(sent: readonly Sent[], name: string): readonly string[] {
  return sent.flatMap(({ line, body }) => {
    if (!line.endsWith(`/vmmigrations/${name}/status`)) return [];
    const written = body.split(/(?=\{"op":)/).filter((part) => !part.startsWith('{"op":"test"'));
    const find = (pattern: RegExp) =>
      pattern
        .exec(written.join(""))
        ?.slice(1)
        .find((it) => it !== undefined);
    const phase = find(/"path":"\/status\/phase","value":"([^"]+)"|"phase":"([^"]+)"/);
    const percent = find(/"percentage":(\d+)|progress\/percentage","value":(\d+)/);
    return phase === undefined ? [] : [`${phase} ${percent ?? ""}`.trim()];
  });
}
