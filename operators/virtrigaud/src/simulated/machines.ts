// Making machines, switching, changing, describing and removing them.

import { type Instant, plus } from "@telltale/kinds";
import { PowerOp, type Reply, type Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { addressesOf, bringUpToDate, type Disk, type Machine, switchOff, switchOn } from "./machine.ts";
import { readClass, readDesired, readDisks, readHost, readImage, readNetworks } from "./reading.ts";
import { type Acts, has, machineOf, type World, work } from "./world.ts";

type Methods =
  | "create"
  | "delete"
  | "power"
  | "reconfigure"
  | "hardwareUpgrade"
  | "describe"
  | "listVMs"
  | "guestExec"
  | "taskStatus";

export function machineActs(world: World): Pick<Acts, Methods> {
  const { clock, profile, durations } = world;
  return {
    async create(request, how) {
      if (request.name === "") throw new RpcError("INVALID_ARGUMENT", "a machine needs a name");
      const known = again(world, request);
      if (known !== undefined) return known;
      const machine = made(world, request);
      mayHave(world, machine.cpu);
      world.machines.set(machine.id, machine);
      const { task } = await work(world, how, {
        takes: durations.create,
        stage: "Importing",
        end(at) {
          if (profile.startsOn) switchOn(machine, at);
          return { id: machine.id };
        },
        lost: () => world.machines.delete(machine.id),
      });
      if (task !== undefined) machine.task = task.id;
      return { id: machine.id, ...(task && { task }) };
    },

    async delete({ id }, how) {
      const machine = world.machines.get(id);
      if (machine === undefined) return {};
      const children = [...world.machines.values()].filter(({ linkedTo }) => linkedTo === id);
      if (children.length > 0) {
        throw new RpcError("FAILED_PRECONDITION", `disks are in use by ${children.map(({ name }) => name).join(", ")}`);
      }
      machine.isGoing = true;
      return work(world, how, {
        takes: durations.delete,
        stage: "Deleting",
        end: () => void world.machines.delete(id),
        lost() {
          machine.isGoing = false;
        },
      });
    },

    async power({ id, op, gracefulTimeoutSeconds }, how) {
      const machine = staying(world, id);
      return work(world, how, {
        takes: durations.power,
        stage: "Power",
        end: (at) => switched(world, machine, op, gracefulTimeoutSeconds, at),
      });
    },

    async reconfigure({ id, desiredJson }, how) {
      const machine = staying(world, id);
      const desired = readDesired(desiredJson, profile.reads);
      const isResize = desired.cpu !== machine.cpu || desired.memoryMiB !== machine.memoryMiB;
      if (isResize && machine.power === "On" && profile.resizeWhileOn === "refused") {
        throw new RpcError("FAILED_PRECONDITION", `machine ${machine.name} has to be off`);
      }
      mayHave(world, desired.cpu - machine.cpu);
      const sizes = sizesOf(machine, desired);
      return work(world, how, {
        takes: durations.reconfigure,
        stage: "Reconfiguring",
        end() {
          if (!(machine.power === "On" && profile.resizeWhileOn === "ignored")) {
            machine.cpu = desired.cpu;
            machine.memoryMiB = desired.memoryMiB;
          }
          for (const [disk, sizeGiB] of sizes) disk.sizeGiB = sizeGiB;
          return undefined;
        },
      });
    },

    async hardwareUpgrade({ id, targetVersion }, how) {
      if (!profile.upgradesHardware) throw new RpcError("UNIMPLEMENTED", "hardware is not upgraded here");
      const machine = staying(world, id);
      if (machine.power !== "Off") throw new RpcError("FAILED_PRECONDITION", `machine ${machine.name} has to be off`);
      if (targetVersion < machine.hardware) {
        throw new RpcError(
          "INVALID_ARGUMENT",
          `hardware version ${machine.hardware} cannot go back to ${targetVersion}`,
        );
      }
      return work(world, how, {
        takes: durations.reconfigure,
        stage: "Upgrading",
        end() {
          machine.hardware = targetVersion;
          return undefined;
        },
      });
    },

    async describe({ id }) {
      const machine = world.machines.get(id);
      if (machine === undefined) {
        if (profile.missing === "error") throw new RpcError("NOT_FOUND", `domain ${JSON.stringify(id)} not found`);
        return { exists: false, powerState: profile.reads === "map" ? "notfound" : "" };
      }
      bringUpToDate(machine, clock.now());
      return {
        exists: true,
        powerState: machine.power,
        ips: [...addressesOf(machine, clock.now())],
        consoleUrl: `https://console.invalid/${machine.id}`,
        providerRawJson: JSON.stringify({
          name: machine.name,
          cpu: machine.cpu,
          memory_mib: machine.memoryMiB,
          disk_gib: machine.disks[0]?.sizeGiB ?? 0,
          host: machine.host,
        }),
      };
    },

    async listVMs() {
      const vms = [...world.machines.values()].map((machine) => {
        bringUpToDate(machine, clock.now());
        const ips = [...addressesOf(machine, clock.now())];
        return {
          id: machine.id,
          name: machine.name,
          powerState: machine.power,
          ips,
          cpu: machine.cpu,
          memoryMib: BigInt(machine.memoryMiB),
          disks: machine.disks.map(({ id, path, sizeGiB, format }) => ({ id, path, sizeGib: sizeGiB, format })),
          networks: machine.nics.map(({ name, mac, address }) => ({ name, mac, ipAddress: address || (ips[0] ?? "") })),
          providerRaw: { host: machine.host },
        };
      });
      return { vms };
    },

    async guestExec({ vmId, command }) {
      if (!has(world, "guest-exec")) throw new RpcError("UNIMPLEMENTED", "commands in guests are not supported");
      if (command.length === 0) throw new RpcError("INVALID_ARGUMENT", "there is no command");
      if (machineOf(world, vmId).power !== "On") throw new RpcError("FAILED_PRECONDITION", "the machine is off");
      return { exitCode: 0, stdout: new TextEncoder().encode(`${command.join(" ")}\n`) };
    },

    async taskStatus({ task }) {
      const status = world.tasks.status(task?.id ?? "", profile.failedTask);
      return has(world, "task-progress") ? status : { done: status.done ?? false, error: status.error ?? "" };
    },
  };
}

/** A machine that is not on its way out. */
export function staying(world: World, id: string): Machine {
  const machine = machineOf(world, id);
  if (machine.isGoing) throw new RpcError("FAILED_PRECONDITION", `machine ${machine.name} is being deleted`);
  return machine;
}

/** What an earlier request has made, where this one is taken for the same. */
function again(world: World, { name, requestId }: Requested<"create">): Reply<"create"> | undefined {
  const all = [...world.machines.values()];
  const same =
    requestId !== "" && has(world, "request-id") ? all.find((one) => one.requestId === requestId) : undefined;
  if (same !== undefined) {
    const { id, task = "" } = same;
    return { id, ...(world.tasks.isOpen(task) && { task: { id: task } }) };
  }
  const named = all.find((one) => one.name === name);
  if (named === undefined || world.profile.sameName === "two") return undefined;
  if (world.profile.sameName === "given") return { id: named.id };
  throw new RpcError("ALREADY_EXISTS", `machine ${JSON.stringify(name)} already exists`);
}

export function made(world: World, request: Requested<"create">): Machine {
  const { profile, clock } = world;
  const { reads } = profile;
  const { cpu, memoryMiB, diskGiB } = readClass(request.classJson, reads);
  const image = readImage(request.imageJson, reads);
  const disks = readDisks(request.disksJson, reads);
  const nics = readNetworks(request.networksJson, reads);
  const host = readHost(request.placementJson, reads) || "host-1";
  const images = [...world.images.values()];
  const prepared = images.find(({ id, path }) => path === image.path || id === image.template);
  if (prepared?.isReady === false) throw new RpcError("FAILED_PRECONDITION", `image ${prepared.target} is not ready`);
  const content = world.disks.get(image.path)?.content ?? `${image.template}${image.path}${image.url}`;
  world.serial += 1;
  const { serial } = world;
  const id = profile.machineId(serial, request.name);
  const disk = (name: string, sizeGiB: number, what: string): Disk => ({
    id: `${id}-${name}`,
    path: `/machines/${id}/${name}.qcow2`,
    sizeGiB,
    format: "qcow2",
    content: what,
    backing: "",
  });
  return {
    id,
    name: request.name,
    serial,
    power: "Off",
    onSince: clock.now(),
    cpu,
    memoryMiB,
    disks: [
      disk("root", diskGiB || 20, content),
      ...disks.map(({ name, sizeGiB }, i) => disk(name || `data${i}`, sizeGiB, "")),
    ],
    nics,
    tags: [...request.tags],
    userData: new TextDecoder().decode(request.userData),
    metaData: new TextDecoder().decode(request.metaData),
    host,
    requestId: request.requestId,
    hardware: 19,
    snapshots: [],
    isGoing: false,
    guest: { ...world.guest },
  };
}

export function mayHave(world: World, more: number): void {
  const { vcpus, machines } = world.quota;
  const used = [...world.machines.values()].reduce((sum, { cpu }) => sum + cpu, 0);
  if (vcpus !== undefined && more > 0 && used + more > vcpus) {
    throw new RpcError("RESOURCE_EXHAUSTED", "quota exceeded for cpu");
  }
  if (machines !== undefined && world.machines.size >= machines) {
    throw new RpcError("RESOURCE_EXHAUSTED", "quota exceeded for machines");
  }
}

function switched(world: World, machine: Machine, op: PowerOp, timeoutSeconds: number, now: Instant): undefined {
  bringUpToDate(machine, now);
  switch (op) {
    case PowerOp.ON:
      switchOn(machine, now);
      return;
    case PowerOp.OFF:
      switchOff(machine);
      return;
    case PowerOp.REBOOT:
      switchOff(machine);
      switchOn(machine, now);
      return;
    case PowerOp.SHUTDOWN_GRACEFUL: {
      if (machine.power !== "On") return;
      const { shutdown } = machine.guest;
      const longest = timeoutSeconds * 1_000;
      const needs = shutdown === "ignored" ? Number.POSITIVE_INFINITY : shutdown;
      const takes = world.profile.endsGuests ? Math.min(needs, longest) : needs;
      machine.downAt = Number.isFinite(takes) ? plus(now, takes) : undefined;
      return;
    }
    default:
      throw new RpcError("INVALID_ARGUMENT", "the power operation is not known");
  }
}

/** Which disks grow, and to what. The first is the class's, or the request's by position or name, as providers take it. */
function sizesOf(machine: Machine, desired: ReturnType<typeof readDesired>): readonly [Disk, number][] {
  const [root] = machine.disks;
  const wanted: [Disk, number][] = [];
  if (root !== undefined && desired.diskGiB > 0) wanted.push([root, desired.diskGiB]);
  for (const { name, sizeGiB } of desired.disks) {
    const disk = machine.disks.find(({ id }) => id === `${machine.id}-${name}`);
    if (disk !== undefined) wanted.push([disk, sizeGiB]);
  }
  for (const [disk, sizeGiB] of wanted) {
    if (sizeGiB < disk.sizeGiB) throw new RpcError("INVALID_ARGUMENT", `disk ${disk.id} cannot shrink`);
  }
  return wanted;
}
