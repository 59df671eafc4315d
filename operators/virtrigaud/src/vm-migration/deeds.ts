// What a pass can do for a migration, one function each. What a provider refuses becomes part of the world.
import { formatTime } from "@telltale/kinds";
import { Job, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { annotationPatch, type EffectRecord, labelPatch } from "@telltale/runtime";
import { text } from "@telltale/status";
import { PowerOp } from "../contract/contract.ts";
import { VirtualMachine, VMSnapshot } from "../kinds/index.ts";
import { transferDeadline } from "../link/deadlines.ts";
import { ProviderError } from "../link/provider-error.ts";
import { annotations, labels } from "../names.ts";
import { callName, credentialsOf, hearing, type MigrationHands, tried } from "./act.ts";
import { changed } from "./change.ts";
import { clean, forgotten } from "./clean.ts";
import { busyOp, exportOp, importOp } from "./decide.ts";
import type { Flights } from "./flights.ts";
import { convertJob } from "./job.ts";
import { workOf } from "./job-state.ts";
import { lockValue, type Senses } from "./observe.ts";
import { timeoutAt } from "./retrying.ts";
import {
  attemptOf,
  claimFile,
  convertedUrl,
  diskEntry,
  exportsOf,
  importName,
  importsOf,
  sha256In,
  snapshotName,
  stagedFormat,
  stagingUrl,
} from "./staging.ts";
import type { Deed } from "./step.ts";
import { isOurs, targetOf } from "./target.ts";
import { exportRequest, importRequest } from "./transfer.ts";
import { stagingPart } from "./validating.ts";
import type { Transfer, World } from "./world.ts";

export type Deeds = {
  readonly [D in Deed["is"]]: (
    deed: Extract<Deed, { is: D }>,
    world: World,
    hands: MigrationHands,
    senses: Senses,
  ) => Promise<World>;
};

export const deeds: Deeds = {
  async learn({ held }, world) {
    // What was under way has come to an end, or is known by its task from here on.
    const { task: _ended, transfer: _known, ...heard } = world.heard;
    return { ...world, held, heard, record: undefined };
  },

  async lock(_deed, world, hands) {
    const { vm } = world.source;
    if (vm === undefined) return world;
    const marks = annotationPatch(vm, { [annotations.migrationLock]: lockValue(world.migration) });
    const locked = await changed(VirtualMachine, vm, marks, hands);
    return { ...world, source: { ...world.source, vm: locked, lock: "ours" } };
  },

  async claim(_deed, world, hands) {
    const { claim, migration } = world;
    if (claim === undefined) return world;
    const marks = {
      [labels.part]: stagingPart,
      [labels.migration]: migration.metadata.name ?? "",
      [labels.managedBy]: "virtrigaud",
    };
    if (claim.object !== undefined) {
      const { [labels.managedBy]: _ours, ...temporary } = marks;
      const object = await changed(PersistentVolumeClaim, claim.object, labelPatch(claim.object, temporary), hands);
      return { ...world, claim: { ...claim, object } };
    }
    const { storageClassName, size = "", accessMode = "ReadWriteMany" } = migration.spec.storage?.pvc ?? {};
    const { live, as } = await hands.ensure(
      PersistentVolumeClaim,
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name: claim.name,
          namespace: migration.metadata.namespace ?? "",
          labels: marks,
          annotations: { [annotations.createdBy]: "vmmigration-controller" },
        },
        spec: {
          accessModes: [accessMode],
          ...(storageClassName !== undefined && { storageClassName }),
          resources: { requests: { storage: size } },
        },
      },
      { mode: "createOnly" },
    );
    if (as === "created") hands.event("Normal", "PVCCreated", `Created claim ${claim.name}`);
    return { ...world, claim: { ...claim, object: live } };
  },

  async powerOff(_deed, world, hands) {
    const { vm } = world.source;
    if (vm === undefined) return world;
    let source = vm;
    const { powerState } = vm.spec;
    const before = vm.metadata.annotations?.[annotations.preMigrationPowerState];
    if (before === undefined || powerState !== "Off") {
      const operations = [
        ...annotationPatch(vm, { [annotations.preMigrationPowerState]: before ?? powerState ?? "On" }),
        { op: "test", path: "/spec/powerState", value: powerState ?? null } as const,
        { op: "add", path: "/spec/powerState", value: "Off" } as const,
      ];
      source = await changed(VirtualMachine, vm, operations, hands);
      hands.event("Normal", "SourcePowerOff", "The source VM is switched off");
    }
    const next = { ...world, source: { ...world.source, vm: source } };
    if (world.heard.power === "Off") return next;
    const request = { id: vm.status?.id ?? "", op: PowerOp.OFF };
    const answer = await tried(world.from, "power", request, hands);
    return hearing(next, { power: "untold", ...(answer instanceof ProviderError && { trouble: answer }) });
  },

  async snapshot(_deed, world, hands) {
    const { name = "", namespace = "" } = world.migration.metadata;
    const { live, as } = await hands.ensure(
      VMSnapshot,
      {
        apiVersion: VMSnapshot.apiVersion,
        kind: VMSnapshot.kind,
        metadata: { name: `${name}-src`, namespace },
        spec: {
          vmRef: { name: world.source.at.name },
          snapshotConfig: {
            ...snapshotName(world.migration, world.held.retryCount ?? 0),
            includeMemory: false,
            description: `Migration snapshot for ${name}`,
          },
          metadata: { purpose: "migration" },
        },
      },
      { mode: "createOnly" },
    );
    if (as === "foreign") return hearing(world, { taken: text`VMSnapshot ${name}-src is somebody else's` });
    return { ...world, snapshot: live };
  },

  async export(_deed, world, hands, { flights }) {
    const { migration, from, staged } = world;
    const attempt = attemptOf(exportsOf(staged).at(-1)) + 1;
    const url = stagingUrl(migration, attempt, from.channel.provider?.spec.type);
    return sent(world, exportOp, url, hands, flights, async (credentials, options) => {
      if (from.channel.is === "closed") throw new Error(from.channel.why);
      const request = exportRequest(world, url, credentials);
      return { is: "exported", answer: await from.channel.link.ask("exportDisk", request, options) };
    });
  },

  async import(_deed, world, hands, { flights }) {
    const { migration, to, staged } = world;
    const name = importName(migration, importsOf(staged).length + 1);
    return sent(world, importOp, diskEntry(name), hands, flights, async (credentials, options) => {
      if (to.channel.is === "closed") throw new Error(to.channel.why);
      const request = importRequest(world, name, credentials);
      return { is: "imported", answer: await to.channel.link.ask("importDisk", request, options) };
    });
  },

  async convert({ name, url, to }, world, hands) {
    const { migration, tools, from, held } = world;
    const converted = convertedUrl(url, to);
    const [source, target] = [url, converted].map((it) => claimFile(migration, it));
    if (tools === undefined || source === undefined || target === undefined) {
      return hearing(world, { taken: text`status and annotations do not say what was exported` });
    }
    // On the list before it can be there: whoever puts things in order knows of it.
    const staged = world.staged.includes(converted) ? world.staged : [...world.staged, converted];
    if (staged !== world.staged) await hands.annotate({ [annotations.stagedObjects]: JSON.stringify(staged) });
    const { provider } = from.channel;
    const format = stagedFormat(migration, provider?.spec.type);
    const isVerified = migration.spec.options?.verifyChecksums !== false;
    const wanted = convertJob(migration, tools, {
      name,
      from: { file: source, format },
      to: { file: target, format: to },
      checksum: isVerified ? (sha256In(held.diskInfo?.sourceChecksum) ?? "") : "",
      deadline: transferDeadline(timeoutAt(world) - hands.now),
      provider,
    });
    const { live, as } = await hands.ensure(Job, wanted, { mode: "createOnly" });
    if (as === "foreign") return hearing({ ...world, staged }, { taken: text`Job ${name} is somebody else's` });
    if (as === "created") hands.event("Normal", "ConversionStarted", text`Job ${name} converts ${format} to ${to}`);
    return { ...world, staged, jobs: [...world.jobs, workOf(live, [])] };
  },

  async withdraw(_deed, world, hands) {
    const { transfer: _refused, ...heard } = world.heard;
    const { staged } = await forgotten(world.staged.slice(-1), world, hands);
    const record = { op: busyOp, id: "", attempt: 1, at: formatTime(hands.now) };
    await hands.annotate({ [annotations.pendingOp]: JSON.stringify(record) });
    return { ...world, staged, heard, record };
  },

  async create(_deed, world, hands) {
    const { migration, source, held, target } = world;
    const wanted = targetOf(migration, source.vm, held);
    const { live } = await hands.ensure(VirtualMachine, wanted, { mode: "createOnly", owner: "none" });
    if (!isOurs(live, migration)) {
      return hearing(world, {
        taken: text`VirtualMachine ${target.at.namespace}/${target.at.name} is somebody else's`,
      });
    }
    return { ...world, target: { ...target, object: live, isOurs: true } };
  },

  async switchOff(_deed, world, hands) {
    const { target } = world;
    if (target.object === undefined) return world;
    const operations = [
      { op: "test", path: "/spec/powerState", value: "On" },
      { op: "replace", path: "/spec/powerState", value: "Off" },
    ] as const;
    return { ...world, target: { ...target, object: await changed(VirtualMachine, target.object, operations, hands) } };
  },

  async discard({ what }, world, hands) {
    if (what === "snapshot" && world.snapshot !== undefined) {
      await hands.remove(VMSnapshot, world.snapshot, "Background");
      return { ...world, snapshot: undefined };
    }
    if (what === "target" && world.target.object !== undefined) {
      await hands.remove(VirtualMachine, world.target.object, "Background");
      return { ...world, target: { ...world.target, object: undefined, isOurs: false } };
    }
    return world;
  },

  clean: ({ what }, world, hands, senses) => clean(what, world, hands, senses),
};

interface SendOptions {
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly isLong: true;
}

/**
 * Noted before it is sent: that it is sent, and under which name. The answer is found in a later pass; whoever finds none, because the
 * process that sent it is gone, sends it again under another name.
 */
async function sent(
  world: World,
  op: string,
  entry: string,
  hands: MigrationHands,
  flights: Flights,
  send: (credentials: Readonly<Record<string, string>>, options: SendOptions) => Promise<Transfer>,
): Promise<World> {
  const credentials = await credentialsOf(world.migration, hands);
  if ("lacking" in credentials) {
    const error = ProviderError.unsent("FAILED_PRECONDITION", "FailedPrecondition", credentials.lacking);
    const record = { op, id: "", attempt: 0, at: "" };
    return hearing({ ...world, record }, { transfer: { is: "refused", error } });
  }
  const staged = [...world.staged, entry];
  const deadline = transferDeadline(timeoutAt(world) - hands.now);
  let record: EffectRecord | undefined;
  await hands.once({
    op,
    probe: async () => "none", // what was sent before has its own name
    async call(it) {
      record = it;
      await hands.annotate({ [annotations.stagedObjects]: JSON.stringify(staged) });
      hands.call<Transfer>(callName(it), async (signal) => {
        const flight = flights.begin(world.migration.metadata.uid ?? "", signal);
        try {
          return await send(credentials.map, { deadline, signal: flight.signal, isLong: true });
        } catch (error) {
          if (error instanceof ProviderError) return { is: "refused", error };
          throw error;
        } finally {
          flight.end();
        }
      });
    },
    goesOn: () => true,
  });
  return hearing({ ...world, staged, record }, { transfer: { is: "running" } });
}
