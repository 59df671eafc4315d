// Rolling updates of a set of six machines on real QEMU, in each of which the provider is ended by kill -9 at a random moment. What counts
// is what ran on the host, seen by an observer that is not the operator.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { systemClock as clock, seededRandom, sleep, systemRandom } from "@telltale/clock";
import { findCondition } from "@telltale/status";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { VMImage, VMSet } from "../src/kinds/index.ts";
import { census, type Sample } from "./qemu/census.ts";
import { patience, type RealStage, realStage } from "./real-stage.ts";

const suite = "rolling updates while the provider is killed";
const assets = assetsFor(suite);
const qemu = qemuFor(suite);

const size = 6;
const names = Array.from({ length: size }, (_, i) => `web-${i}`);
const images = ["boot", "boot2"] as const;

/** Of one update: when the provider is killed, and for how long it is away. */
interface Fate {
  /** So many machines have been replaced by then ... */
  readonly replaced: number;
  /** ... for so long, in milliseconds. */
  readonly after: number;
  /** It is away for so long, after the set has noticed where it may. */
  readonly away: number;
  readonly isNoticed: boolean;
}

export function rollingUpdates(runs: number): void {
  const seed = Number(process.env["TELLTALE_SEED"] ?? Math.floor(systemRandom.next() * 2 ** 31));
  const random = seededRandom(seed);
  const between = (least: number, most: number) => Math.floor(least + random.next() * (most - least));

  describe.skipIf(assets === undefined || qemu === undefined)(`six machines of real QEMU, seed ${seed}`, () => {
    let s: RealStage;
    let image: string = images[0];
    const stop = new AbortController();
    let observer: Promise<void> = Promise.resolve();
    let latest: Sample | undefined;
    let worst = { down: 0, gap: 0 };

    const isUp = async (): Promise<boolean> =>
      latest?.running.size === size && findCondition((await set())?.status?.conditions, "Ready")?.status === "True";
    const set = () => s.get(VMSet, "web");
    const message = async () => (await set())?.status?.updateStatus?.message ?? "";

    beforeAll(async () => {
      s = await realStage(assets ?? "", ["box"], { isComplete: true });
      const { images: folder, state } = s.kitOf("box");
      cpSync(join(folder, "boot.raw"), join(folder, "boot2.raw"));
      await s.create(VMImage, "boot2", { source: { libvirt: { path: join(folder, "boot2.raw"), format: "raw" } } });
      observer = census(state, { clock, every: 100, signal: stop.signal }, (sample) => {
        const down = names.filter((name) => !sample.running.has(name)).length;
        worst = { down: Math.max(worst.down, down), gap: Math.max(worst.gap, sample.at - (latest?.at ?? sample.at)) };
        latest = sample;
      });
      s.start();
      await s.create(VMSet, "web", {
        replicas: size,
        selector: { matchLabels: { app: "web" } },
        updateStrategy: {
          type: "RollingUpdate",
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0, podManagementPolicy: "Parallel" },
        },
        template: {
          spec: {
            providerRef: { name: "box" },
            classRef: { name: "small" },
            imageRef: { name: image },
            powerState: "On",
          },
        },
      });
      await s.until("all machines run", isUp, patience);
    });
    afterAll(async () => {
      stop.abort();
      await observer.catch(() => undefined);
      await s?.end();
    });

    const fates = Array.from({ length: runs }, (_, i): Fate => {
      const kill = { replaced: between(0, size), after: between(0, 1_500), away: between(0, 3_000) };
      // Until all machines are said to be unknown, and are seen again, takes longer than the rest: one alone goes without.
      return { ...kill, isNoticed: runs > 1 && (i === 0 || between(0, 3) > 0) };
    });
    // One that failed once has failed.
    const options = { retry: 0, timeout: 2 * patience };
    test.each(fates)(
      "never more than one is down, with a kill %#",
      options,
      async ({ replaced, after, away, isNoticed }) => {
        await s.until("all machines run", isUp);
        const before = new Map(latest?.running);
        const isNew = (name: string): boolean => {
          const id = latest?.running.get(name);
          return id !== undefined && id !== before.get(name);
        };
        worst = { down: 0, gap: 0 };
        const began = clock.uptime();
        image = image === images[0] ? images[1] : images[0];
        await s.patch(VMSet, "web", { spec: { template: { spec: { imageRef: { name: image } } } } });
        await s.until("the update begins", async () => worst.down > 0);
        await s.until("it has come this far", async () => names.filter(isNew).length >= replaced);
        await sleep(clock, after);
        const killed = clock.uptime() - began;
        await s.killProvider("box");
        expect((await set())?.status?.updateStatus?.phase).toBe("InProgress");
        if (isNoticed)
          await s.until("no machine is taken for ready", async () => (await set())?.status?.readyReplicas === 0);
        await sleep(clock, away);
        const said = await message();
        const back = clock.uptime() - began;
        s.startProvider("box");
        const isDone = async () => (await set())?.status?.updateStatus?.phase === "Completed" && (await isUp());
        await s.until("the update is complete", isDone, patience);
        const took = clock.uptime() - began;
        const seconds = (it: number) => `${(it / 1_000).toFixed(1)} s`;
        const told = {
          killed: `after ${seconds(killed)}, ${replaced} replaced`,
          back: `after ${seconds(back)}`,
          said,
          "most down": worst.down,
          took: seconds(took),
          "longest between two looks": seconds(worst.gap),
        };
        process.stdout.write(`seed ${seed}, to ${image}: ${JSON.stringify(told)}\n`);
        expect(names.filter(isNew)).toEqual(names);
        // It has seen the one whose turn it was.
        expect(worst.down).toBe(1);
      },
    );
  });
}
