// What a machine's disk is.
import { readFile } from "node:fs/promises";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import type { Machine } from "./machine.ts";
import { infoOf } from "./qemu-img.ts";

export async function getDiskInfo(box: Box, request: Requested<"getDiskInfo">): Promise<Reply<"getDiskInfo">> {
  const machine = box.machines.need(request.vmId);
  const name = diskNamed(machine, request.diskId);
  const path = box.layout.machine(machine.id).disk(name);
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
    snapshots: await snapshotIds(box, machine.id),
    backingFile: active.backingFile ?? "",
    metadata: { layers: String(chain.length) },
  };
}

/** An empty id is the root disk. */
export function diskNamed(machine: Machine, id: string): string {
  const names = ["root", ...machine.disks.map(({ name }) => name)];
  const name = names.find((one) => one === (id === "" ? "root" : id));
  if (name === undefined) throw new RpcError("NOT_FOUND", `machine ${machine.id} has no disk of this name`);
  return name;
}

async function snapshotIds(box: Box, id: string): Promise<string[]> {
  const text = await readFile(box.layout.machine(id).snapshots, "utf8").catch(() => "[]");
  const list: { readonly id: string }[] = JSON.parse(text);
  return list.map((snapshot) => snapshot.id);
}
