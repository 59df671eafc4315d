// Changes a machine's size. What is stored is what was asked for; what a running machine cannot take is said, and never called done
// (L-33).
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { hotPorts, qcow2Node } from "./argv.ts";
import type { Box } from "./box.ts";
import { makeDisk } from "./disks.ts";
import { member } from "./lines.ts";
import { type DataDisk, deviceOf, type Machine, nodeOf, rootDevice } from "./machine.ts";
import { type Qmp, QmpError } from "./qmp.ts";
import { type Fields, objectIn } from "./reading.ts";
import { diskOf, distinct, sizeOf, type WantedDisk, type WantedSize } from "./wanted.ts";
import { rpcError } from "./work.ts";

const GiB = 2 ** 30;
const MiB = 2 ** 20;

export function reconfigure(box: Box, request: Requested<"reconfigure">): Promise<Reply<"reconfigure">> {
  const fields = objectIn("desired_json", request.desiredJson);
  const disks = fields.list("Disks", 20).map(diskOf);
  distinct("desired_json.Disks", disks);
  const size = sizeOf(fields.object("Class") ?? emptyClass(fields));
  return box.alone(request.id, "reconfigure", async (machine) => {
    const next = resized(machine, size, disks);
    const isOn = (await box.running.process(machine)) !== undefined;
    if (next !== machine) await box.machines.save(next);
    const qmp = isOn ? await box.running.monitor(next) : undefined;
    await applyDisks(box, next, qmp);
    if (qmp !== undefined) await applySize(next, qmp);
    return {};
  });
}

function emptyClass(fields: Fields): Fields {
  return fields.object("Class") ?? objectIn("desired_json.Class", "");
}

/** The machine as it shall be. Refuses what would take bytes from a disk. Pure. */
export function resized(machine: Machine, size: WantedSize, wanted: readonly WantedDisk[]): Machine {
  const shrink = (name: string) => new RpcError("INVALID_ARGUMENT", `disk ${name} cannot be made smaller`);
  const { rootGiB = machine.root.sizeGiB } = size;
  if (rootGiB !== undefined && machine.root.sizeGiB !== undefined && rootGiB < machine.root.sizeGiB)
    throw shrink("root");
  const disks = machine.disks.map((disk): DataDisk => {
    const asked = wanted.find(({ name }) => name === disk.name);
    if (asked === undefined) return disk;
    if (asked.sizeGiB < disk.sizeGiB) throw shrink(disk.name);
    return { ...disk, sizeGiB: asked.sizeGiB };
  });
  const slots = Math.max(0, ...disks.map(({ slot }) => slot));
  const added = wanted
    .filter(({ name }) => !disks.some((disk) => disk.name === name))
    .map((disk, at): DataDisk => ({ ...disk, slot: slots + 1 + at, layer: 0 }));
  if (disks.length + added.length + machine.nics.length > 24)
    throw new RpcError("INVALID_ARGUMENT", "a machine has room for 24 disks and networks together");
  const next: Machine = {
    ...machine,
    cpu: size.cpu ?? machine.cpu,
    memoryMiB: size.memoryMiB ?? machine.memoryMiB,
    root: { ...machine.root, ...(rootGiB === undefined ? {} : { sizeGiB: rootGiB }) },
    disks: [...disks, ...added],
  };
  return JSON.stringify(next) === JSON.stringify(machine) ? machine : next;
}

/** Brings every disk to its size, and new ones into the machine. */
async function applyDisks(box: Box, machine: Machine, qmp: Qmp | undefined): Promise<void> {
  const paths = box.layout.machine(machine.id);
  if (machine.root.sizeGiB !== undefined)
    await grow(box, paths.disk("root", machine.root.layer), machine.root.sizeGiB * GiB, rootDevice, qmp);
  const attached = qmp === undefined ? [] : await devices(qmp);
  for (const disk of machine.disks) {
    const path = paths.disk(disk.name, disk.layer);
    await makeDisk(box, path, disk.sizeGiB * GiB, disk.isThick);
    if (qmp !== undefined && !attached.some(({ id }) => id === deviceOf(disk))) await attach(qmp, disk, path, attached);
    await grow(box, path, disk.sizeGiB * GiB, deviceOf(disk), qmp);
  }
}

async function grow(box: Box, path: string, bytes: number, device: string, qmp: Qmp | undefined): Promise<void> {
  const { virtualSize } = await box.info(path, "qcow2");
  if (bytes <= virtualSize) return;
  if (qmp === undefined) {
    await box.img("a disk cannot grow", "resize", "-q", "-f", "qcow2", path, String(bytes));
    return;
  }
  const node = (await devices(qmp)).find(({ id }) => id === device)?.node;
  if (node === undefined) throw new RpcError("INTERNAL", `QEMU has no disk ${device}`);
  await qmp.execute("block_resize", { "node-name": node, size: bytes }, 60_000).catch(asRpcError);
}

async function attach(qmp: Qmp, disk: DataDisk, path: string, attached: readonly Device[]): Promise<void> {
  const nodes = await qmp.execute("query-named-block-nodes", { flat: true });
  const hasNode = Array.isArray(nodes) && nodes.some((one: unknown) => member(one, "node-name") === nodeOf(disk));
  if (!hasNode) await qmp.execute("blockdev-add", qcow2Node(nodeOf(disk), path)).catch(asRpcError);
  const bridges = await qmp.execute("query-pci");
  const port = hotPorts.find((one) => !isTaken(bridges, one));
  if (port === undefined)
    throw new RpcError(
      "FAILED_PRECONDITION",
      `restart required: ${attached.length} disks are in, and no port is free for one more`,
    );
  await qmp
    .execute("device_add", { driver: "virtio-blk-pci", drive: nodeOf(disk), id: deviceOf(disk), bus: port })
    .catch(asRpcError);
}

interface Device {
  readonly id: string;
  readonly node: string;
  readonly file: string;
}

/** The disks that the guest sees, each with the node that takes its writes now. */
export async function devices(qmp: Qmp): Promise<readonly Device[]> {
  const all = await qmp.execute("query-block");
  return (Array.isArray(all) ? all : []).flatMap((one: unknown) => {
    const id = /(d-[a-z0-9]+)(?:\/virtio-backend)?$/.exec(String(member(one, "qdev")))?.[1];
    const inserted = member(one, "inserted");
    const node = member(inserted, "node-name");
    const file = member(member(inserted, "image"), "filename");
    return id !== undefined && typeof node === "string" ? [{ id, node, file: fileIn(String(file)) }] : [];
  });
}

/** QEMU names a file plainly, or with all that it knows of it. */
function fileIn(name: string): string {
  if (!name.startsWith("json:")) return name;
  const value: unknown = JSON.parse(name.slice("json:".length));
  return String(member(member(value, "file"), "filename"));
}

/** Whether a hot-plug port has something in it, from `query-pci`. */
function isTaken(buses: unknown, port: string): boolean {
  const inside = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
  const all = inside(buses).flatMap((bus) => inside(member(bus, "devices")));
  const bridge = all.find((one) => member(one, "qdev_id") === port);
  return inside(member(member(bridge, "pci_bridge"), "devices")).length > 0;
}

/** Adds CPUs and memory to what runs. What it cannot take waits for the next start, and is said. */
async function applySize(machine: Machine, qmp: Qmp): Promise<void> {
  const late = [await applyCpus(machine, qmp), await applyMemory(machine, qmp)].filter((why) => why !== undefined);
  if (late.length > 0) throw new RpcError("FAILED_PRECONDITION", `restart required: ${late.join("; ")}`);
}

async function applyCpus(machine: Machine, qmp: Qmp): Promise<string | undefined> {
  const slots = (await hotCpus(qmp)).map((slot) => ({ ...slot, isUsed: slot.path !== undefined }));
  const has = slots.filter(({ isUsed }) => isUsed).length;
  if (has > machine.cpu) return `${has} CPUs run, and ${machine.cpu} are wanted`;
  const free = slots.filter(({ isUsed }) => !isUsed).slice(0, machine.cpu - has);
  if (has + free.length < machine.cpu)
    return `${has} CPUs run, at most ${slots.length} can, and ${machine.cpu} are wanted`;
  for (const { type, props } of free)
    await qmp
      .execute("device_add", { driver: type, id: `cpu-${String(member(props, "core-id"))}`, ...props })
      .catch(asRpcError);
  return undefined;
}

interface CpuSlot {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
  readonly path: string | undefined;
}

async function hotCpus(qmp: Qmp): Promise<readonly CpuSlot[]> {
  const slots = await qmp.execute("query-hotpluggable-cpus");
  const core = (slot: CpuSlot) => Number(slot.props["socket-id"]) * 1000 + Number(slot.props["core-id"]);
  return (Array.isArray(slots) ? slots : [])
    .map((slot: unknown): CpuSlot => {
      const path = member(slot, "qom-path");
      return {
        type: String(member(slot, "type")),
        props: Object.fromEntries(Object.entries(member(slot, "props") ?? {})),
        path: typeof path === "string" ? path : undefined,
      };
    })
    .sort((a, b) => core(a) - core(b));
}

async function applyMemory(machine: Machine, qmp: Qmp): Promise<string | undefined> {
  const has = await memoryBytes(qmp);
  const bytes = machine.memoryMiB * MiB;
  if (has === bytes) return undefined;
  const wanted = `${has / MiB} MiB are in it, and ${machine.memoryMiB} MiB are wanted`;
  if (has > bytes || !machine.hotAdd.memory) return wanted;
  const dimms = await qmp.execute("query-memory-devices");
  // A guest takes memory in blocks of 128 MiB.
  const isBlock = (bytes - has) % (128 * MiB) === 0;
  if (!isBlock || (Array.isArray(dimms) && dimms.length >= 8)) return wanted;
  const id = `${Array.isArray(dimms) ? dimms.length : 0}-${bytes / MiB}`;
  try {
    // One that is left from a try that was cut short would be of the same id, and is made anew.
    await qmp.execute("object-del", { id: `mem-${id}` }).catch(() => undefined);
    await qmp.execute("object-add", { "qom-type": "memory-backend-ram", id: `mem-${id}`, size: bytes - has });
    await qmp.execute("device_add", { driver: "pc-dimm", id: `dimm-${id}`, memdev: `mem-${id}` });
    return undefined;
  } catch (error) {
    if (!(error instanceof QmpError)) throw error;
    await qmp.execute("object-del", { id: `mem-${id}` }).catch(() => undefined);
    return wanted;
  }
}

export async function memoryBytes(qmp: Qmp): Promise<number> {
  const summary = await qmp.execute("query-memory-size-summary", {}, 2000);
  return Number(member(summary, "base-memory") ?? 0) + Number(member(summary, "plugged-memory") ?? 0);
}

export async function cpuCount(qmp: Qmp): Promise<number> {
  const cpus = await qmp.execute("query-cpus-fast", {}, 2000);
  return Array.isArray(cpus) ? cpus.length : 0;
}

/** What QEMU refuses, as what the caller is told. */
export function asRpcError(error: unknown): never {
  throw rpcError(error);
}
