// Makes a machine from another one: a copy of its disks, or new layers on top of them.
import { createHash } from "node:crypto";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import { uuid } from "@telltale/clock";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { makeRunFolder } from "./create.ts";
import { isThere } from "./disks.ts";
import { nameOf, newMachineId, newTaskId } from "./ids.ts";
import { convert } from "./image.ts";
import { isoOf } from "./iso.ts";
import { disksOf, type Machine, type Nic, type StaticAddress } from "./machine.ts";
import { busy } from "./machines.ts";
import { isFreePort, nicsFor } from "./networks.ts";
import { type Fields, objectIn } from "./reading.ts";
import { seedFiles, userDataKind } from "./seed.ts";
import { baseOf, giveBack, readArguments, type Source, sourceOf, sourcePath, takeBack } from "./source.ts";
import { sizeOf } from "./wanted.ts";
import type { Step, Work } from "./work.ts";

export async function clone(box: Box, request: Requested<"clone">): Promise<Reply<"clone">> {
  const name = nameOf("target_name", request.targetName);
  const custom = customizationOf(objectIn("customize_json", request.customizeJson));
  const size = sizeOf(objectIn("class_json", request.classJson));
  const { $typeName: _, $unknown: __, ...asked } = request;
  const fingerprint = createHash("sha256").update(JSON.stringify(asked)).digest("hex");
  return box.machines.exclusive(`name:${name}`, "clone", async () => {
    const named = box.machines.find((machine) => machine.name === name);
    if (named !== undefined && named.fingerprint !== fingerprint)
      throw new RpcError("ALREADY_EXISTS", `the name ${name} is taken by another machine`);
    if (named !== undefined) return answer(box, named);
    await box.room(0);
    return box.alone(request.sourceVmId, "clone", async (found) => {
      const choose = request.linked ? baseOf : sourceOf;
      const source = await choose(box, found, request.sourceSnapshotId);
      const machine = await targetOf(
        box,
        box.machines.need(found.id),
        source,
        request.linked,
        name,
        custom,
        size,
        fingerprint,
      );
      if (!request.linked) await roomFor(box, source);
      await makeFiles(box, machine, custom);
      const params = { source: { ...source }, isLinked: request.linked };
      const holds = [machine.id, found.id];
      const task = { id: machine.task, op: "clone", vmId: machine.id, holds, key: `clone:${machine.id}`, params };
      try {
        await box.tasks.start(task);
      } catch (error) {
        await undoClone(box, machine.id, source, machine.task).catch(() => {});
        throw error;
      }
      return answer(box, machine);
    });
  });
}

function answer(box: Box, { id, task, state }: Machine): Reply<"clone"> {
  if (state === "defined") return { targetVmId: id };
  if (box.tasks.get(task) === undefined) throw busy(id, "clone");
  return { targetVmId: id, task: { id: task } };
}

async function roomFor(box: Box, source: Source): Promise<void> {
  let bytes = 0;
  for (const disk of Object.keys(source.layers))
    bytes += await box.measure(sourcePath(box, source, disk), "qcow2", "qcow2");
  await box.room(bytes);
}

/** The source's hardware with names, addresses and keys of its own. */
async function targetOf(
  box: Box,
  source: Machine,
  { layers }: Source,
  isLinked: boolean,
  name: string,
  custom: Customization,
  size: ReturnType<typeof sizeOf>,
  fingerprint: string,
): Promise<Machine> {
  const { random, clock } = box.host;
  const wanted = source.nics.map(({ name: nic, model, net }) => ({
    name: nic,
    model,
    ...(net.is === "isolated" ? { network: net.name } : {}),
    ...(net.is === "bridge" ? { bridge: net.bridge } : {}),
  }));
  const hasBridges = box.settings.bridgeHelper !== undefined;
  const nics = await nicsFor(wanted, { random, machines: box.machines.all(), hasBridges, isFree: isFreePort });
  return {
    ...source,
    id: newMachineId(random),
    name,
    uuid: uuid(random),
    requestId: "",
    fingerprint,
    createdAt: new Date(clock.now()).toISOString(),
    state: "creating",
    task: newTaskId(random),
    cpu: size.cpu ?? source.cpu,
    memoryMiB: size.memoryMiB ?? source.memoryMiB,
    root: { ...source.root, layer: 0, from: { is: "clone", of: source.id, isLinked } },
    disks: source.disks.filter((disk) => layers[disk.name] !== undefined).map((disk) => ({ ...disk, layer: 0 })),
    nics: nics.map((nic, at) =>
      addressed(nic, custom.networks.find((one) => one.name === nic.name) ?? custom.networks[at]),
    ),
    userData: userDataKind(custom.userData),
    tags: custom.tags,
    nextLayer: 1,
    basedOn: isLinked ? [source.id, ...source.basedOn] : [],
  };
}

function addressed(nic: Nic, network: CustomNetwork | undefined): Nic {
  return {
    ...nic,
    ...(network?.mac === undefined ? {} : { mac: network.mac }),
    ...(network?.address === undefined ? {} : { address: network.address }),
  };
}

async function makeFiles(box: Box, machine: Machine, custom: Customization): Promise<void> {
  const paths = box.layout.machine(machine.id);
  for (const folder of [paths.disks, paths.seed]) await box.host.folder(folder);
  await makeRunFolder(box, machine.id);
  const files = seedFiles({ ...machine, name: custom.hostname ?? machine.name }, custom.userData, new Uint8Array());
  for (const [name, bytes] of Object.entries(files)) await box.host.write(join(paths.seed, name), bytes);
  await box.host.write(paths.seedImage, isoOf("cidata", files));
  await box.machines.save(machine);
}

export const cloneWork = (box: Box): Work => ({
  isCopy: true,
  steps({ vmId, params }) {
    const source = params["source"] as Source; // as `clone` wrote it
    const machine = box.machines.need(vmId);
    const disks = disksOf(machine).map(({ name }) =>
      params["isLinked"] === true ? overlay(box, machine, source, name) : copy(box, machine, source, name),
    );
    const define: Step = {
      name: "define the machine",
      stage: "Cloning",
      kind: "steps",
      async run(task) {
        const paths = box.layout.machine(vmId);
        for (const { name } of disksOf(machine)) {
          const path = paths.disk(name, 0);
          if (!(await isThere(path))) await box.host.rename(`${path}.part`, path);
        }
        if (machine.firmware === "uefi") {
          const vars = box.layout.machine(source.vmId).disk("vars", 0);
          await box.img("firmware", "convert", "-U", "-f", "qcow2", "-O", "qcow2", vars, paths.disk("vars", 0));
        }
        await box.machines.save({ ...machine, state: "defined" });
        task.result({ id: vmId });
      },
    };
    return [...disks, ...giveBack(box, source), define];
  },
  undo: ({ id, vmId, params }) => undoClone(box, vmId, params["source"] as Source, id),
});

async function undoClone(box: Box, vmId: string, source: Source, task: string): Promise<void> {
  if (box.machines.get(vmId)?.state === "creating") await box.machines.drop(vmId);
  await takeBack(box, source, task);
}

function copy(box: Box, machine: Machine, source: Source, name: string): Step {
  const part = `${box.layout.machine(machine.id).disk(name, 0)}.part`;
  return {
    name: `copy ${name}`,
    stage: "Cloning",
    kind: "proc",
    async argv() {
      await box.host.remove(part);
      return [...convert(box, "qcow2", "qcow2"), ...readArguments(box, source, name), part];
    },
  };
}

function overlay(box: Box, machine: Machine, source: Source, name: string): Step {
  const part = `${box.layout.machine(machine.id).disk(name, 0)}.part`;
  return {
    name: `put a layer on ${name}`,
    stage: "Cloning",
    kind: "steps",
    async run() {
      const below = sourcePath(box, source, name);
      const { virtualSize } = await box.info(below, "qcow2");
      await box.img(
        "a layer cannot be made",
        "create",
        "-q",
        "-u",
        "-f",
        "qcow2",
        "-b",
        below,
        "-F",
        "qcow2",
        part,
        String(virtualSize),
      );
    },
  };
}

interface Customization {
  readonly hostname?: string;
  readonly userData: Uint8Array;
  readonly networks: readonly CustomNetwork[];
  readonly tags: readonly string[];
}

interface CustomNetwork {
  readonly name: string;
  readonly mac?: string;
  readonly address?: StaticAddress;
}

/** What a seed can carry; what it cannot is refused, and not left out. */
function customizationOf(fields: Fields): Customization {
  if (
    fields.object("sysprep")?.flag("enabled") === true ||
    fields.list("certificates", 10).length > 0 ||
    fields.list("guestCommands", 20).length > 0
  )
    throw new RpcError("UNIMPLEMENTED", "this provider customizes host name, networks and user data only");
  const hostname = fields.text("hostname");
  const domain = fields.text("domain");
  if (hostname !== undefined && !/^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(hostname))
    throw fields.refuse("hostname", "is not a host name");
  if (domain !== undefined && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(domain))
    throw fields.refuse("domain", "is not a domain");
  const data = fields.object("userData");
  const inline =
    data?.object("cloudInit")?.text("inline", 2 ** 20) ?? data?.object("ignition")?.text("inline", 2 ** 20);
  const timeZone = fields.text("timeZone");
  if (timeZone !== undefined && inline !== undefined)
    throw fields.refuse("timeZone", "goes into the user data where there is some");
  const text = inline ?? (timeZone === undefined ? "" : `#cloud-config\n${JSON.stringify({ timezone: timeZone })}\n`);
  return {
    ...(hostname === undefined ? {} : { hostname: domain === undefined ? hostname : `${hostname}.${domain}` }),
    userData: new TextEncoder().encode(text),
    networks: fields.list("networks", 10).map(customNetwork),
    tags: fields.texts("tags", 50),
  };
}

function customNetwork(fields: Fields): CustomNetwork {
  const name = nameOf("customize_json.networks[].name", fields.text("name") ?? "");
  const mac = fields.text("macAddress")?.toLowerCase();
  if (mac !== undefined && !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) throw fields.refuse("macAddress", "is not one");
  const ip = fields.text("ipAddress");
  const gateway = fields.text("gateway");
  const dns = fields.texts("dns", 5);
  for (const one of [ip, gateway, ...dns])
    if (one !== undefined && !isIPv4(one)) throw fields.refuse("ipAddress", "and the others must be IPv4 addresses");
  const prefix = prefixOf(fields.text("subnetMask") ?? "255.255.255.0");
  if (prefix === undefined) throw fields.refuse("subnetMask", "is not one");
  return { name, ...(mac && { mac }), ...(ip && { address: { ip, prefix, dns, ...(gateway && { gateway }) } }) };
}

/** 24 of 255.255.255.0. */
export function prefixOf(mask: string): number | undefined {
  if (!isIPv4(mask)) return undefined;
  const bits = mask
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("");
  return /^1+0*$/.test(bits) ? bits.lastIndexOf("1") + 1 : undefined;
}
