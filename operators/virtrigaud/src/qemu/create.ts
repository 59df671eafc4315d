// Makes a machine, powered off: its `vm.json` first, then its disks by a task. The same request again is the same machine.
import { join } from "node:path";
import { uuid } from "@telltale/clock";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { finishSteps, isThere, rootSteps } from "./disks.ts";
import { safeUrl } from "./download.ts";
import { newMachineId, newTaskId } from "./ids.ts";
import { imageFolders, preparedImage } from "./image.ts";
import { isoOf } from "./iso.ts";
import type { ImageSource, Machine } from "./machine.ts";
import { isFreePort, nicsFor } from "./networks.ts";
import { allowedFile, isInside } from "./paths.ts";
import { refuseHostile } from "./qemu-img.ts";
import { seedFiles, userDataKind } from "./seed.ts";
import { fingerprintOf, type Wanted, type WantedImage, wantedOf } from "./wanted.ts";
import type { Work } from "./work.ts";

export async function create(box: Box, request: Requested<"create">): Promise<Reply<"create">> {
  const wanted = wantedOf(request);
  const fingerprint = fingerprintOf(wanted);
  // Two requests of one name at once: the second sees what the first has made.
  return box.machines.exclusive(`name:${wanted.name}`, "create", async () => {
    const same = existing(box, request.requestId, wanted.name, fingerprint);
    if (same !== undefined) return answer(box, same);
    if (
      wanted.class.firmware === "uefi" &&
      (box.settings.ovmfCode === undefined || box.settings.ovmfVars === undefined)
    )
      throw new RpcError(
        "INVALID_ARGUMENT",
        "this provider has no UEFI: it was started without --ovmf-code and --ovmf-vars",
      );
    await box.room(0);
    const from = await sourceOf(box, wanted.image);
    const machine = await machineOf(box, wanted, from, request.requestId, fingerprint);
    const paths = box.layout.machine(machine.id);
    for (const folder of [paths.disks, paths.seed]) await box.host.folder(folder);
    await makeRunFolder(box, machine.id);
    const files = seedFiles(machine, wanted.userData, wanted.metaData);
    for (const [name, bytes] of Object.entries(files)) await box.host.write(join(paths.seed, name), bytes);
    await box.host.write(paths.seedImage, isoOf("cidata", files));
    await box.machines.save(machine);
    const whole =
      wanted.image.is === "url" && from.is === "url" && wanted.image.url !== from.url ? { url: wanted.image.url } : {};
    try {
      await startCreate(box, machine, whole);
    } catch (error) {
      // Without a task it would stay `creating`, and its name taken.
      await box.machines.drop(machine.id).catch(() => {});
      throw error;
    }
    return answer(box, machine);
  });
}

/** Begins the task of a machine that is being made; it may have begun already. */
export async function startCreate(
  box: Box,
  { id, task }: Machine,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  const params = { hasSecrets: Object.keys(secrets).length > 0 };
  await box.tasks.start({ id: task, op: "create", vmId: id, holds: [id], key: `create:${id}`, params, secrets });
}

/** The folder for sockets: a link where its own path would be too long for one. */
export async function makeRunFolder(box: Box, id: string): Promise<void> {
  const { run } = box.layout.machine(id);
  const sockets = box.machines.sockets(id);
  await box.host.folder(sockets);
  if (sockets !== run) await box.host.symlink(sockets, run);
}

function answer(box: Box, { id, task, state }: Machine): Reply<"create"> {
  const isGoing = state === "creating" && box.tasks.get(task)?.state !== "done";
  return isGoing ? { id, task: { id: task } } : { id };
}

/** The machine that this very request has made before. */
function existing(box: Box, requestId: string, name: string, fingerprint: string): Machine | undefined {
  if (requestId !== "") {
    const made = box.machines.find((machine) => machine.requestId === requestId);
    if (made !== undefined) return made;
  }
  const named = box.machines.find((machine) => machine.name === name);
  if (named === undefined) return undefined;
  const isSame = (requestId === "" || named.requestId === "") && named.fingerprint === fingerprint;
  if (isSame) return named;
  throw new RpcError("ALREADY_EXISTS", `the name ${name} is taken by another machine`);
}

async function sourceOf(box: Box, image: WantedImage): Promise<ImageSource> {
  switch (image.is) {
    case "url": {
      const url = safeUrl(image.url);
      return { is: "url", url, format: image.format, ...(image.checksum && { checksum: image.checksum }) };
    }
    case "template":
      if ((await preparedImage(box, image.name)) === undefined)
        throw new RpcError("NOT_FOUND", `image ${image.name} not found; prepare it first`);
      return { is: "image", target: image.name };
    case "path": {
      const path = await allowedFile(image.path, [box.layout.imports, ...imageFolders(box)]);
      const disk = /^(.+)\.qcow2$/.exec(path.slice(box.layout.imports.length + 1))?.[1];
      if (isInside(box.layout.imports, path) && disk !== undefined) return { is: "import", disk };
      const target = /^(.+)\/image\.qcow2$/.exec(path.slice(box.layout.images.length + 1))?.[1];
      if (isInside(box.layout.images, path) && target !== undefined) return { is: "image", target };
      refuseHostile(await box.info(path, image.format), image.format, box.settings.maxImageSize);
      return { is: "file", path, format: image.format };
    }
  }
}

async function machineOf(
  box: Box,
  wanted: Wanted,
  from: ImageSource,
  requestId: string,
  fingerprint: string,
): Promise<Machine> {
  const { random, clock } = box.host;
  const { cpu, memoryMiB, firmware, hotAdd, rootGiB, isThick } = wanted.class;
  return {
    schema: 1,
    id: newMachineId(random),
    name: wanted.name,
    uuid: uuid(random),
    requestId,
    fingerprint,
    createdAt: new Date(clock.now()).toISOString(),
    state: "creating",
    task: newTaskId(random),
    cpu,
    memoryMiB,
    hotAdd,
    firmware,
    root: { ...(rootGiB === undefined ? {} : { sizeGiB: rootGiB }), isThick, from, layer: 0 },
    disks: wanted.disks.map((disk, at) => ({ ...disk, slot: at + 1, layer: 0 })),
    nics: await nicsFor(wanted.networks, {
      random,
      machines: box.machines.all(),
      hasBridges: box.settings.bridgeHelper !== undefined,
      isFree: isFreePort,
    }),
    userData: userDataKind(wanted.userData),
    tags: wanted.tags,
    nextLayer: 1,
    basedOn: [],
  };
}

export const createWork = (box: Box): Work => ({
  isCopy: true,
  steps(record) {
    const machine = box.machines.need(record.vmId);
    return [...rootSteps(box, machine, record), ...finishSteps(box, machine.id)];
  },
  // A machine that cannot be made is not there: the same request may try again from nothing.
  async undo({ vmId }) {
    const machine = box.machines.get(vmId);
    if (machine?.state !== "creating") return;
    const { from } = machine.root;
    const root = box.layout.machine(vmId).disk("root", 0);
    // An imported disk is somebody's only copy.
    if (from.is === "import")
      for (const path of [`${root}.part`, root])
        if (await isThere(path)) await box.host.rename(path, box.layout.imported(from.disk));
    await box.machines.drop(vmId);
  },
});
