// StatefulSets on a cluster of their own, for tests: how to begin, change and see them.
import { ControllerRevision, CoreEvent, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { statefulSets } from "../src/statefulset/statefulset.ts";
import { type Cluster, cluster } from "./cluster.ts";
import { claimTemplate, setOf } from "./members.ts";
import { type Fate, sweep } from "./sweep.ts";

export type Spec = NonNullable<StatefulSet["spec"]>;

export const place = { namespace: "default" };
export const db = { name: "db", ...place };
export const image = (tag: number) => ({
  template: { spec: { containers: [{ name: "main", image: `example.test/app:${tag}` }] } },
});
export const storage = {
  ...claimTemplate,
  spec: { ...claimTemplate.spec, resources: { requests: { storage: "1Gi" } } },
};

/** Those that a test began, to be ended after it: `afterEach(endAll)`. */
const open: Cluster[] = [];
export const endAll = async (): Promise<void> => {
  for (const it of open.splice(0)) await it.end();
};

export async function fresh(): Promise<Cluster> {
  const it = await cluster([statefulSets()]);
  open.push(it);
  return it;
}

export async function create({ client }: Cluster, spec: Partial<Spec> = {}): Promise<void> {
  const { spec: whole } = setOf(spec);
  if (whole !== undefined) await client.create(StatefulSet, { metadata: db, spec: whole });
}

export async function begun(spec: Partial<Spec> = {}, fate?: Fate): Promise<Cluster> {
  const it = await fresh();
  await create(it, spec);
  await sweep(it, fate);
  return it;
}

export const change = ({ client }: Cluster, spec: object) => client.patch(StatefulSet, db, { strategic: { spec } });
export const statusOf = async ({ client }: Cluster) => (await client.get(StatefulSet, "db", place)).status;
export const remove = ({ client }: Cluster, name: string) =>
  client.delete(Pod, { name, ...place }, { propagation: "Background" });

/** `db-0:1` is the member 0 with the image of tag 1. */
export async function members({ client }: Cluster): Promise<readonly string[]> {
  const { items } = await client.list(Pod, place);
  return items.map(({ metadata, spec }) => `${metadata?.name}:${spec?.containers[0]?.image?.split(":")[1]}`);
}

export async function revisions({ client }: Cluster): Promise<readonly ControllerRevision[]> {
  const { items } = await client.list(ControllerRevision, place);
  return items.toSorted((a, b) => a.revision - b.revision);
}

export async function said({ client, pass }: Cluster, reason: string): Promise<readonly string[]> {
  await pass(10_000);
  const { items } = await client.list(CoreEvent, place);
  return items.filter((it) => it.reason === reason).map((it) => it.message ?? "");
}

/** The statuses that were written of the set, in their order. */
export function history(it: Cluster): NonNullable<StatefulSet["status"]>[] {
  const found: NonNullable<StatefulSet["status"]>[] = [];
  it.server.store.subscribe("/", it.server.store.revision, ({ record }) => {
    const { kind, status } = record.object() as StatefulSet;
    if (kind === "StatefulSet" && status !== undefined) found.push(status);
  });
  return found;
}
