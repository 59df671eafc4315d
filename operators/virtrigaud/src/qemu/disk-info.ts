// What a machine's disk is.
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { type Disk, disksOf, type Machine } from "./machine.ts";
import { infoOf } from "./qemu-img.ts";
import { calledOf, isKept, readSnapshots } from "./snapshot-file.ts";

export async function getDiskInfo(box: Box, request: Requested<"getDiskInfo">): Promise<Reply<"getDiskInfo">> {
  const machine = box.machines.need(request.vmId);
  const { name, layer } = diskNamed(machine, request.diskId);
  const path = box.layout.machine(machine.id).disk(name, layer);
  const chain = infoOf(
    await box.img("the disk cannot be read", "info", "-U", "--output=json", "--backing-chain", "-f", "qcow2", path),
  );
  const [active] = chain;
  return {
    diskId: name,
    format: "qcow2",
    virtualSizeBytes: BigInt(active.virtualSize),
    actualSizeBytes: BigInt(chain.reduce((sum, { actualSize }) => sum + actualSize, 0)),
    path,
    isBootable: name === "root",
    snapshots: (await readSnapshots(box, machine.id)).filter(isKept).map(calledOf),
    backingFile: active.backingFile ?? "",
    metadata: { layers: String(chain.length) },
  };
}

/** An empty id is the root disk. */
export function diskNamed(machine: Machine, id: string): Disk {
  const disk = disksOf(machine).find(({ name }) => name === (id === "" ? "root" : id));
  if (disk === undefined) throw new RpcError("NOT_FOUND", `machine ${machine.id} has no disk of this name`);
  return disk;
}
