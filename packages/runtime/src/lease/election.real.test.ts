// Elections on a real kube-apiserver, between processes that are killed, stopped and continued by signals.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { ConfigMap, Lease } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane, until } from "../../../../tools/envtest/envtest.ts";
import { silentLog } from "../log.ts";
import { adoptedAnnotation } from "./membership.ts";
import { type Shards, shard } from "./shards.ts";

const assets = assetsFor("leases on a real server");
const namespace = "default";
const times = { duration: 5_000, renewDeadline: 3_000, retry: 500 };
const program = fileURLToPath(new URL("../../test/lease/candidate.ts", import.meta.url));

interface Written {
  readonly writer: string;
  readonly epoch: number;
}

describe.skipIf(assets === undefined)("on a real API server", () => {
  const children = new Map<string, ChildProcess>();
  const over = new AbortController();
  const world = { clock: systemClock, random: systemRandom };
  let plane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({ transport: httpTransport(connection), ...world });
    await until(
      "the default namespace",
      () =>
        client.create(ConfigMap, { metadata: { name: "journal", namespace } }).then(
          () => true,
          () => false,
        ),
      (made) => made,
    );
  });
  afterAll(async () => {
    over.abort();
    for (const child of children.values()) child.kill("SIGKILL");
    await client?.close();
    await plane?.stop();
  });

  it("no two processes write at one time, whichever of them is killed, stopped or continued", async () => {
    const written: Written[] = [];
    const holders: string[] = [];
    const { resourceVersion } = await client.list(ConfigMap, { namespace });
    const from = { namespace, resourceVersion, signal: over.signal };
    follow(async () => {
      for await (const { type, object } of client.watch(ConfigMap, {
        ...from,
        fieldSelector: "metadata.name=journal",
      })) {
        const { writer, epoch } = (type === "MODIFIED" ? object.data : undefined) ?? {};
        if (writer !== undefined) written.push({ writer, epoch: Number(epoch) });
      }
    });
    follow(async () => {
      for await (const { type, object } of client.watch(Lease, { ...from, fieldSelector: "metadata.name=race" })) {
        if (type === "BOOKMARK") continue;
        const { holderIdentity, leaseTransitions } = object.spec ?? {};
        if (holderIdentity) holders.push(`${holderIdentity} ${leaseTransitions}`);
      }
    });
    const last = () => written.at(-1) ?? { writer: "", epoch: -1 };
    const disorder = () => written.find(({ epoch }, i) => epoch < (written[i - 1]?.epoch ?? 0));
    /** Waits for some writes of a later term, by another where that is asked for; or for what must not be. */
    const nextTerm = async (before: Written, other = false) => {
      const later = ({ writer, epoch }: Written) => epoch > before.epoch && !(other && writer === before.writer);
      const enough = async () => disorder() !== undefined || written.filter(later).length > 5;
      await until("writes of a new term", enough, (so) => so, 20_000);
      expect(disorder()).toBeUndefined(); // nobody writes after his successor has
    };
    const signal = (writer: string, name: NodeJS.Signals) => children.get(writer)?.kill(name);

    start("a");
    await nextTerm(last());
    start("b");
    await sleep(systemClock, 1_000);

    const first = last();
    signal(first.writer, "SIGSTOP"); // for longer than others wait
    await nextTerm(first, true);
    signal(first.writer, "SIGCONT");
    await sleep(systemClock, 1_500);

    const second = last();
    signal(second.writer, "SIGSTOP"); // for longer than it may act, and less than others wait
    await sleep(systemClock, 3_800);
    signal(second.writer, "SIGCONT");
    await nextTerm(second);

    const third = last();
    signal(third.writer, "SIGKILL");
    await nextTerm(third, true);

    start("c");
    await sleep(systemClock, 1_000);
    const fourth = last();
    signal(fourth.writer, "SIGTERM"); // it gives the lease back
    await nextTerm(fourth, true);

    const terms = [...new Set(written.map(({ writer, epoch }) => `${writer} ${epoch}`))];
    const epochs = written.map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBe(terms.length); // nobody shared a term
    expect(holders).toEqual(expect.arrayContaining(terms)); // nobody wrote without the lease
    expect(terms.length).toBeGreaterThanOrEqual(5);
  });

  it("members divide the keys, and take over from one another", async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `team/object-${i}`);
    const group = { client, ...world, log: silentLog, sink: () => {}, namespace, name: "group", ...times };
    const join = (identity: string): Shards => {
      const shards = shard({ ...group, identity });
      shards.start(over.signal);
      return shards;
    };
    const all = (...members: Shards[]) =>
      until(
        "every key has one owner",
        async () => keys.map((key) => members.filter((one) => one.owns(key)).length),
        (owners) => owners.every((count) => count === 1) && members.every((one) => keys.some(one.owns)),
        20_000,
      );
    const x = join("x");
    await all(x);
    const y = join("y");
    await all(x, y);
    const { items } = await client.list(Lease, { namespace, labelSelector: "telltale.dev/shard-group=group" });
    expect(new Set(items.map(({ metadata }) => metadata?.annotations?.[adoptedAnnotation])).size).toBe(1);
    await x.release();
    await all(y);
    expect((await client.get(Lease, "group-x", { namespace })).spec?.holderIdentity).toBe("");
  });

  function start(identity: string): void {
    const given = [plane.kubeconfig, identity, times.duration, times.renewDeadline, times.retry].map(String);
    children.set(identity, spawn(process.execPath, [program, ...given], { stdio: ["ignore", "ignore", "inherit"] }));
  }

  /** Until the suite is over. */
  function follow(watch: () => Promise<void>): void {
    watch().catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
  }
});
