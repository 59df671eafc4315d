// Snapshots of machines: a tree, in which the children of one that goes become its parent's.
import { RpcError } from "../contract/rpc-error.ts";
import type { Machine, Snapshot } from "./machine.ts";
import { switchOff, switchOn } from "./machine.ts";
import { staying } from "./machines.ts";
import { type Acts, assertIdle, has, holding, machineOf, type World, work } from "./world.ts";

export function snapshotActs(world: World): Pick<Acts, "snapshotCreate" | "snapshotDelete" | "snapshotRevert"> {
  const { profile, durations } = world;
  return {
    async snapshotCreate({ vmId, nameHint, includeMemory, description, quiesce }, how) {
      const { supportsSnapshots = false, supportsMemorySnapshots = false } = profile.capabilities;
      if (!supportsSnapshots || (includeMemory && !supportsMemorySnapshots)) {
        throw new RpcError("UNIMPLEMENTED", `${includeMemory ? "memory " : ""}snapshots are not supported`);
      }
      const machine = staying(world, vmId);
      assertIdle(world, vmId);
      world.serial += 1;
      const id = profile.snapshotId(world.serial, nameHint);
      const isStrict = profile.sameName === "refused";
      if (machine.snapshots.some((one) => one.id === id || (isStrict && one.name === nameHint))) {
        throw new RpcError("ALREADY_EXISTS", `snapshot ${id} already exists`);
      }
      const isOn = machine.power === "On";
      const quiesced = quiesce && isOn && has(world, "quiesce");
      const sizeBytes =
        BigInt(machine.disks.length) * 2n ** 20n + (includeMemory ? BigInt(machine.memoryMiB) * 2n ** 20n : 0n);
      const snapshot: Snapshot = {
        id,
        name: nameHint,
        description,
        parent: machine.current,
        hasMemory: includeMemory && isOn,
        power: machine.power,
        contents: machine.disks.map(({ content }) => content),
      };
      const { task } = await work(
        world,
        how,
        holding(world, vmId, {
          takes: durations.snapshotCreate,
          stage: "Snapshot",
          end() {
            machine.snapshots.push(snapshot);
            machine.current = id;
            return { snapshot_id: id, size_bytes: Number(sizeBytes), quiesced };
          },
        }),
      );
      return { snapshotId: id, ...(task && { task }), ...(has(world, "quiesce") && { sizeBytes, quiesced }) };
    },

    async snapshotDelete({ vmId, snapshotId }, how) {
      const machine = machineOf(world, vmId);
      if (find(machine, snapshotId) === undefined) return {};
      assertIdle(world, vmId);
      return work(
        world,
        how,
        holding(world, vmId, {
          takes: durations.snapshotDelete,
          stage: "Merging",
          end() {
            const gone = find(machine, snapshotId);
            if (gone === undefined) return undefined;
            machine.snapshots = machine.snapshots.filter((one) => one !== gone);
            for (const child of machine.snapshots) if (child.parent === gone.id) child.parent = gone.parent;
            if (machine.current === gone.id) machine.current = gone.parent;
            return undefined;
          },
        }),
      );
    },

    async snapshotRevert({ vmId, snapshotId }, how) {
      const machine = staying(world, vmId);
      const wanted = find(machine, snapshotId);
      if (wanted === undefined) throw new RpcError("NOT_FOUND", `snapshot ${snapshotId} not found`);
      return work(world, how, {
        takes: durations.snapshotRevert,
        stage: "Reverting",
        end(at) {
          for (const [i, disk] of machine.disks.entries()) disk.content = wanted.contents[i] ?? disk.content;
          machine.current = wanted.id;
          if (wanted.hasMemory && wanted.power === "On") switchOn(machine, at);
          else switchOff(machine);
          return undefined;
        },
      });
    },
  };
}

/** By its id, or by its name as some providers allow. */
const find = (machine: Machine, wanted: string): Snapshot | undefined =>
  machine.snapshots.find(({ id, name }) => id === wanted || name === wanted);
