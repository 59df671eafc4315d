// What copies disks: clones, prepared images, and disks that leave for the staging storage or come from there.
import type { Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Disk, Machine } from "./machine.ts";
import { mayHave, staying } from "./machines.ts";
import { readCloneClass, readHost } from "./reading.ts";
import { checksumOf } from "./staging.ts";
import { type Acts, assertIdle, has, holding, machineOf, type World, work } from "./world.ts";

type Methods = "clone" | "imagePrepare" | "exportDisk" | "importDisk" | "getDiskInfo" | "cleanupStaged";

export function copyActs(world: World): Pick<Acts, Methods> {
  const { clock, profile, durations, staging } = world;
  const { capabilities } = profile;
  return {
    async clone(request, how) {
      if (request.linked && capabilities.supportsLinkedClones !== true) {
        throw new RpcError("UNIMPLEMENTED", "linked clones are not supported");
      }
      const source = staying(world, request.sourceVmId);
      const known = [...world.machines.values()].find(({ name }) => name === request.targetName);
      if (known !== undefined && profile.sameName !== "two") {
        throw new RpcError("ALREADY_EXISTS", `machine ${JSON.stringify(request.targetName)} already exists`);
      }
      assertIdle(world, source.id);
      const machine = cloned(world, source, request);
      mayHave(world, machine.cpu);
      world.machines.set(machine.id, machine);
      const { task } = await work(
        world,
        how,
        holding(world, source.id, {
          takes: durations.clone,
          stage: "Cloning",
          bytes: bytesOf(source),
          end: () => ({ id: machine.id }),
          lost: () => world.machines.delete(machine.id),
        }),
      );
      return { targetVmId: machine.id, ...(task && { task }) };
    },

    async imagePrepare({ targetName }, how) {
      if (capabilities.supportsImageImport !== true) throw new RpcError("UNIMPLEMENTED", "images cannot be imported");
      const named = { id: targetName, path: `/images/${targetName}.qcow2` };
      const known = world.images.get(targetName);
      const answer = { preparedImageId: named.id, preparedImagePath: named.path };
      if (known?.isReady === true) return answer;
      const image = known ?? { target: targetName, ...named, isReady: false };
      world.images.set(targetName, image);
      const { task } = await work(world, how, {
        takes: durations.image,
        stage: "Downloading",
        bytes: 2n ** 30n,
        end() {
          image.isReady = true;
          const checksum = checksumOf(new TextEncoder().encode(targetName));
          return { ...named, size_bytes: 2 ** 30, checksum, format: "qcow2" };
        },
        lost: () => world.images.delete(targetName),
      });
      return { ...answer, ...(task && { task }) };
    },

    async exportDisk(request, how) {
      if (capabilities.supportsDiskExport !== true) throw new RpcError("UNIMPLEMENTED", "disks cannot be exported");
      offered("format", request.format, capabilities.supportedExportFormats);
      offered("backend", request.backendType || "pvc", capabilities.supportedExportBackends);
      const machine = staying(world, request.vmId);
      const disk = diskOf(machine, request.diskId);
      const content = frozen(machine, disk, request.snapshotId);
      const asked = JSON.stringify([request.vmId, disk.id, request.snapshotId, request.destinationUrl]);
      const finished = world.exports.get(asked);
      if (finished !== undefined && staging.get(request.destinationUrl) !== undefined) return finished;
      const bytes = new TextEncoder().encode(`${request.format}${request.compress ? "+z" : ""}\n${content}`);
      const exportId = `export-${world.exports.size + 1}`;
      const { task } = await work(world, how, {
        takes: durations.export,
        stage: "Exporting",
        bytes: BigInt(disk.sizeGiB) * 2n ** 30n,
        end() {
          const { checksum } = staging.put(request.destinationUrl, bytes);
          world.exports.set(asked, { exportId, checksum, estimatedSizeBytes: BigInt(bytes.length) });
          return { export_id: exportId, checksum, size_bytes: bytes.length };
        },
      });
      return world.exports.get(asked) ?? { exportId, estimatedSizeBytes: BigInt(bytes.length), ...(task && { task }) };
    },

    async importDisk(request, how) {
      if (capabilities.supportsDiskImport !== true) throw new RpcError("UNIMPLEMENTED", "disks cannot be imported");
      offered("format", request.format, capabilities.supportedImportFormats);
      offered("backend", request.backendType || "pvc", capabilities.supportedImportBackends);
      const staged = staging.get(request.sourceUrl);
      if (staged === undefined) throw new RpcError("NOT_FOUND", "the staged object is not there");
      const expected = request.verifyChecksum ? request.expectedChecksum : "";
      if (expected !== "" && expected !== staged.checksum) throw new RpcError("DATA_LOSS", "checksum mismatch");
      const path = `/imports/${request.targetName}.qcow2`;
      const content = new TextDecoder().decode(staged.bytes).replace(/^.*\n/, "");
      const said = { path, checksum: staged.checksum };
      const { task } = await work(world, how, {
        takes: durations.import,
        stage: "Importing",
        bytes: BigInt(staged.bytes.length),
        end() {
          const disk = { id: request.targetName, path, sizeGiB: 20, format: "qcow2", content, backing: "" };
          world.disks.set(path, disk);
          return { disk_id: request.targetName, actual_size_bytes: staged.bytes.length, ...said };
        },
      });
      const actualSizeBytes = BigInt(staged.bytes.length);
      return { diskId: request.targetName, actualSizeBytes, ...said, ...(task && { task }) };
    },

    async getDiskInfo({ vmId, diskId }) {
      if (capabilities.supportsDiskExport !== true) throw new RpcError("UNIMPLEMENTED", "disks cannot be looked at");
      const machine = machineOf(world, vmId);
      const disk = diskOf(machine, diskId);
      return {
        diskId: disk.id,
        format: disk.format,
        virtualSizeBytes: BigInt(disk.sizeGiB) * 2n ** 30n,
        actualSizeBytes: BigInt(disk.content.length),
        path: disk.path,
        isBootable: disk === machine.disks[0],
        snapshots: machine.snapshots.map(({ name }) => name),
        backingFile: disk.backing,
        metadata: { disks: String(machine.disks.length) },
      };
    },

    async cleanupStaged({ url }) {
      if (!has(world, "cleanup-staged")) throw new RpcError("UNIMPLEMENTED", "staged objects are not cleaned up");
      staging.remove(url);
      return {};
    },
  };

  function cloned(at: World, source: Machine, request: Requested<"clone">): Machine {
    const from = request.sourceSnapshotId;
    if (from !== "" && !has(at, "clone-from-snapshot")) throw new RpcError("UNIMPLEMENTED", "no clones from snapshots");
    at.serial += 1;
    const id = profile.machineId(at.serial, request.targetName);
    return {
      ...source,
      ...readCloneClass(request.classJson, profile.reads),
      id,
      name: request.targetName,
      serial: at.serial,
      power: "Off",
      onSince: clock.now(),
      downAt: undefined,
      host: readHost(request.placementJson, profile.reads) || source.host,
      disks: source.disks.map((disk) => ({
        ...disk,
        id: disk.id.replace(source.id, id),
        path: disk.path.replace(source.id, id),
        content: frozen(source, disk, from),
        backing: request.linked ? disk.path : "",
      })),
      nics: source.nics.map((nic) => ({ ...nic, mac: "", address: "" })),
      requestId: "",
      task: "",
      snapshots: [],
      current: undefined,
      ...(request.linked && { linkedTo: source.id }),
      guest: { ...at.guest },
    };
  }
}

function offered(what: string, wanted: string, list: readonly string[] = []): void {
  if (list.includes(wanted)) return;
  throw new RpcError("INVALID_ARGUMENT", `${what} ${JSON.stringify(wanted)} is not one of ${list.join(", ")}`);
}

/** The named disk; the first where none is named. */
function diskOf(machine: Machine, id: string): Disk {
  const disk = id === "" ? machine.disks[0] : machine.disks.find((one) => one.id === id);
  if (disk === undefined) throw new RpcError("NOT_FOUND", `disk ${JSON.stringify(id)} not found`);
  return disk;
}

/** What is on a disk, now or in a snapshot. */
function frozen(machine: Machine, disk: Disk, snapshotId: string): string {
  if (snapshotId === "") return disk.content;
  const snapshot = machine.snapshots.find(({ id, name }) => id === snapshotId || name === snapshotId);
  if (snapshot === undefined) throw new RpcError("NOT_FOUND", `snapshot ${snapshotId} not found`);
  return snapshot.contents[machine.disks.indexOf(disk)] ?? disk.content;
}

const bytesOf = (machine: Machine): bigint =>
  machine.disks.reduce((sum, { sizeGiB }) => sum + BigInt(sizeGiB) * 2n ** 30n, 0n);
