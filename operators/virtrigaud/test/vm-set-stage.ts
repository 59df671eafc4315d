// Sets on a server, with machines that a test plays: they come up after a while, or do not, and take their time to go.
import { formatTime, type Ms, parseTime } from "@telltale/kinds";
import { VirtualMachine, VMSet, type VMSetUpdatePhase } from "../src/kinds/index.ts";
import { annotations, labels } from "../src/names.ts";
import { vmSets } from "../src/vm-set/controller.ts";
import type { Hash } from "../src/vm-set/revisions.ts";
import { namespace, type Stage, stage } from "./stage.ts";

export interface Play {
  /** How a machine comes out: ready after so long, or never, for a reason. */
  readonly fate?: (vm: VirtualMachine) => Ms | { readonly reason: string; readonly message: string };
  /** How long one takes to go. */
  readonly going?: Ms;
  /** How long nobody looks at one that was changed where it is. */
  readonly unseen?: Ms;
  /** Why the provider cannot be asked: machines keep what was seen last, and are not removed. */
  readonly outage?: {
    readonly status: "False" | "Unknown";
    readonly reason: string;
    readonly message: string;
    /** The machines that it concerns. Default: all. */
    readonly of?: readonly string[];
  };
}

export type SetStage = Awaited<ReturnType<typeof setStage>>;

const holder = "test.example.com/played";

export async function setStage(options: { hash?: Hash; refuse?: Parameters<typeof stage>[0]["refuse"] } = {}) {
  const { hash, refuse } = options;
  const it: Stage = await stage({
    controllers: () => [vmSets(hash === undefined ? {} : { hash })],
    ...(refuse === undefined ? {} : { refuse }),
  });
  let play: Play = {};
  const leaving = new Map<string, number>();
  const order: string[] = [];

  const machines = async (): Promise<readonly VirtualMachine[]> =>
    (await it.client.list(VirtualMachine, { namespace })).items;

  /** The machines' own controller, as far as a set can tell. */
  const turn = async (): Promise<void> => {
    const now = it.clock.now();
    for (const vm of await machines()) {
      const { of: concerned, ...said } = play.outage ?? {};
      const isAway = play.outage !== undefined && concerned?.includes(vm.metadata.name ?? "") !== false;
      const { name = "", uid = "", deletionTimestamp, creationTimestamp = "", finalizers } = vm.metadata;
      if (deletionTimestamp !== undefined) {
        const since = leaving.get(uid) ?? now;
        leaving.set(uid, since);
        if (now - since < (play.going ?? 0) || isAway) continue;
        order.push(`- ${name}`);
        await it.client.patch(VirtualMachine, { name, namespace }, { merge: { metadata: { finalizers: null } } });
        continue;
      }
      if (finalizers === undefined) {
        order.push(`+ ${name}`);
        await it.client.patch(VirtualMachine, { name, namespace }, { merge: { metadata: { finalizers: [holder] } } });
      }
      const changed = parseTime(vm.metadata.annotations?.[annotations.lastUpdateTime]);
      if (changed !== undefined && now - changed < (play.unseen ?? 0)) continue;
      if (isAway && "status" in said) {
        await report(vm, said, {});
        continue;
      }
      const fate = play.fate?.(vm) ?? 0;
      const isUp = typeof fate === "number" && now - (parseTime(creationTimestamp) ?? now) >= fate;
      const why = typeof fate === "number" ? { reason: "Creating", message: "it is being made" } : fate;
      if (isUp) {
        const ready = { status: "True", reason: "ReconcileSucceeded", message: "VM synchronized successfully" };
        await report(vm, ready, { phase: "Running", id: uid, powerState: "On" });
      } else await report(vm, { status: "False", ...why }, { phase: "Pending" });
    }
  };

  const report = async (
    { metadata, status }: VirtualMachine,
    said: { readonly status: string; readonly reason: string; readonly message: string },
    more: object,
  ): Promise<void> => {
    const { name = "", generation = 1 } = metadata;
    const before = status?.conditions?.find(({ type }) => type === "Ready");
    const isSame = before?.status === said.status;
    if (isSame && before?.reason === said.reason && status?.observedGeneration === generation) return;
    const lastTransitionTime = isSame ? before.lastTransitionTime : formatTime(it.clock.now());
    const condition = { type: "Ready", ...said, lastTransitionTime, observedGeneration: generation };
    const merge = { status: { ...more, observedGeneration: generation, conditions: [condition] } };
    await it.client.status.patch(VirtualMachine, { name, namespace }, { merge });
  };

  const pass = async (by: Ms): Promise<void> => {
    for (let passed = 0; passed < by; passed += step) {
      await turn();
      await it.pass(Math.min(step, by - passed));
    }
    await turn();
  };

  const until = async (what: () => boolean | Promise<boolean>, limit: Ms = 600_000): Promise<Ms> => {
    const began = it.clock.now();
    while (!(await what())) {
      if (it.clock.now() - began >= limit) throw new Error(`it did not happen within ${limit / 1_000} s`);
      await pass(step);
    }
    return it.clock.now() - began;
  };

  return {
    ...it,
    pass,
    /** What came and went, as it did. */
    order,
    machines,
    play(next: Play) {
      play = next;
    },

    until,

    async set(name: string, spec: object, annotations: object = {}) {
      const { updateStrategy = {}, ...rest } = { updateStrategy: {}, ...spec };
      const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
      const whole = {
        selector: { matchLabels: { app: name } },
        template: template(),
        ...rest,
        updateStrategy: { rollingUpdate, ...updateStrategy },
      };
      await it.apply(VMSet, name, whole, { annotations });
      await pass(step);
    },

    /** Ends a set with all that it has. */
    async over(name: string) {
      play = {};
      await it.remove(VMSet, name);
      await until(async () => (await it.get(VMSet, name)) === undefined);
      order.length = 0;
    },

    isReady: (name: string) => async () => (await it.says(VMSet, name)).startsWith("True"),
    isPhase: (name: string, phase: VMSetUpdatePhase) => async () =>
      (await it.get(VMSet, name))?.status?.updateStatus?.phase === phase,

    async status(name: string) {
      return (await it.get(VMSet, name))?.status ?? {};
    },

    /** `name@revision` of each machine, with a letter for each revision in the order that they were seen. */
    async seats(): Promise<readonly string[]> {
      const live = (await machines()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      return live.map(({ metadata, spec }) => `${metadata.name}@${spec.imageRef?.name}`).sort();
    },

    async hashes(): Promise<readonly string[]> {
      return [...new Set((await machines()).map(({ metadata }) => metadata.labels?.[labels.revision] ?? ""))];
    },
  };
}

const step: Ms = 1_000;

export const template = (image = "one", more: object = {}) => ({
  metadata: { labels: { tier: "web" } },
  spec: { providerRef: { name: "p" }, classRef: { name: "small" }, imageRef: { name: image }, ...more },
});
