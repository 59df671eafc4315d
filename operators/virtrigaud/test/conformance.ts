// What every provider has to do that says it can (L-27): one machine's whole life, asked through the contract alone. Gives what was
// wrong, in words; nothing is what it should be.
import type { Ms } from "@telltale/kinds";
import { type Answer, type Ask, type Method, PowerOp, type Request } from "../src/contract/contract.ts";
import { RpcError } from "../src/contract/rpc-error.ts";
import { meaningOf } from "../src/link/failure.ts";
import { powerOf } from "../src/link/observed.ts";
import { taskOf } from "../src/link/task.ts";

export interface Conformance {
  readonly ask: Ask;
  /** Lets time go by. */
  readonly pass: (by: Ms) => Promise<void>;
  /** What a machine can be made from. */
  readonly imageJson: string;
  /** Where a disk can be put, for a backend. Undefined: it is not tried. */
  readonly stagingUrl: (backend: string) => string | undefined;
  /** An image that can be prepared. Undefined: it is not tried. */
  readonly prepareJson?: string;
  /** The longest that any work takes. */
  readonly limit: Ms;
}

export async function conform(how: Conformance): Promise<readonly string[]> {
  const it = new Conforming(how);
  const can = await it.ask("getCapabilities", {});
  await it.life(can);
  return it.wrong;
}

const classJson = JSON.stringify({ CPU: 1, MemoryMiB: 256, DiskDefaults: { Type: "thin", SizeGiB: 1 } });
const desiredJson = JSON.stringify({ Name: "conform", Class: { CPU: 2, MemoryMiB: 256, DiskDefaults: null } });

class Conforming {
  readonly wrong: string[] = [];
  readonly #how: Conformance;

  constructor(how: Conformance) {
    this.#how = how;
  }

  ask<M extends Method>(method: M, request: Request<M>): Promise<Answer<M>> {
    return this.#how.ask(method, request, { deadline: this.#how.limit });
  }

  #is(what: string, isSo: boolean): void {
    if (!isSo) this.wrong.push(what);
  }

  /** Until the work is done that an answer began. */
  async #finish(what: string, answer: { readonly task?: { readonly id: string } }): Promise<void> {
    const id = answer.task?.id ?? "";
    for (let waited = 0; id !== ""; waited += 500) {
      const task = taskOf(await this.ask("taskStatus", { task: { id } }));
      if (task.is === "done") return;
      if (task.is === "failed" || task.is === "forgotten" || waited > this.#how.limit) {
        this.wrong.push(`${what}: its task is ${task.is}${task.is === "failed" ? `: ${task.said}` : ""}`);
        return;
      }
      await this.#how.pass(500);
    }
  }

  async #done<M extends Method>(what: string, method: M, request: Request<M>): Promise<Answer<M> | undefined> {
    try {
      const answer = await this.ask(method, request);
      const begun: object = answer;
      await this.#finish(what, "task" in begun ? (begun as { task?: { id: string } }) : {});
      return answer;
    } catch (error) {
      this.wrong.push(`${what}: ${error instanceof RpcError ? `${error.code} ${error.message}` : String(error)}`);
      return undefined;
    }
  }

  async #failure<M extends Method>(method: M, request: Request<M>): Promise<string> {
    try {
      await this.ask(method, request);
      return "none";
    } catch (error) {
      return error instanceof RpcError ? meaningOf(error.code, error.message, method).failure : "no RpcError";
    }
  }

  async life(can: Answer<"getCapabilities">): Promise<void> {
    this.#is("Validate says that it is well", (await this.ask("validate", {})).ok);
    const request = { name: "conform", classJson, imageJson: this.#how.imageJson, requestId: "conform-1" };
    const made = await this.#done("Create", "create", request);
    const id = made?.id ?? "";
    this.#is("Create gives an id", id !== "");
    if (id === "") return;
    if (can.extensions.includes("request-id")) {
      this.#is("the same request gives the same machine", (await this.ask("create", request)).id === id);
    }
    this.#is("ListVMs has it once, by its name", (await this.#listed("conform")).join() === id);
    await this.#power(id);
    await this.#resize(id);
    if (can.supportsSnapshots) await this.#snapshots(id, can);
    await this.#clones(id, can);
    await this.#disks(id, can);
    if (can.supportsImageImport && this.#how.prepareJson !== undefined) await this.#image(this.#how.prepareJson);
    await this.#end(id);
    const task = taskOf(await this.ask("taskStatus", { task: { id: "nobody-knows-it" } }));
    this.#is(`a task that nobody knows is forgotten, not ${task.is}`, task.is === "forgotten");
  }

  async #listed(name: string): Promise<readonly string[]> {
    const { vms } = await this.ask("listVMs", {});
    return vms.filter((vm) => vm.name === name).map(({ id }) => id);
  }

  async #power(id: string): Promise<void> {
    for (const [op, state] of [
      [PowerOp.ON, "On"],
      [PowerOp.OFF, "Off"],
    ] as const) {
      await this.#done(`Power ${state}`, "power", { id, op });
      const { exists, powerState } = await this.ask("describe", { id });
      this.#is(`after Power ${state} it is ${state}, not ${powerState}`, exists && powerOf(powerState) === state);
    }
  }

  async #resize(id: string): Promise<void> {
    await this.#done("Reconfigure", "reconfigure", { id, desiredJson });
    const { vms } = await this.ask("listVMs", {});
    this.#is("a machine that is off has two CPUs after it was given them", vms.find((vm) => vm.id === id)?.cpu === 2);
  }

  async #snapshots(vmId: string, can: Answer<"getCapabilities">): Promise<void> {
    const made = await this.#done("SnapshotCreate", "snapshotCreate", { vmId, nameHint: "conform-s" });
    const snapshotId = made?.snapshotId ?? "";
    const names = async () =>
      can.supportsDiskExport ? (await this.ask("getDiskInfo", { vmId })).snapshots : undefined;
    this.#is("GetDiskInfo has the snapshot by its name", (await names())?.includes("conform-s") !== false);
    await this.#done("SnapshotRevert", "snapshotRevert", { vmId, snapshotId });
    await this.#done("SnapshotDelete", "snapshotDelete", { vmId, snapshotId });
    this.#is("GetDiskInfo has it no more", (await names())?.includes("conform-s") !== true);
    if (!can.supportsMemorySnapshots) {
      const failure = await this.#failure("snapshotCreate", { vmId, nameHint: "m", includeMemory: true });
      this.#is("memory snapshots are refused where they are not offered", failure === "NotSupported");
    }
  }

  async #clones(sourceVmId: string, can: Answer<"getCapabilities">): Promise<void> {
    for (const linked of can.supportsLinkedClones ? [false, true] : [false]) {
      const made = await this.#done(`Clone, linked: ${linked}`, "clone", {
        sourceVmId,
        targetName: "conform-c",
        linked,
      });
      this.#is("ListVMs has the clone", (await this.#listed("conform-c")).join() === made?.targetVmId);
      await this.#done("Delete of a clone", "delete", { id: made?.targetVmId ?? "" });
    }
    if (can.supportsLinkedClones) return;
    const failure = await this.#failure("clone", { sourceVmId, targetName: "x", linked: true });
    this.#is("linked clones are refused where they are not offered", failure === "NotSupported");
  }

  async #disks(vmId: string, can: Answer<"getCapabilities">): Promise<void> {
    if (!can.supportsDiskExport) {
      const failure = await this.#failure("exportDisk", { vmId });
      this.#is("exports are refused where they are not offered", failure === "NotSupported");
      return;
    }
    for (const backendType of can.supportedExportBackends) {
      const url = this.#how.stagingUrl(backendType);
      if (url === undefined) continue;
      for (const format of can.supportedExportFormats) await this.#move(vmId, can, { backendType, format, url });
    }
  }

  async #move(
    vmId: string,
    can: Answer<"getCapabilities">,
    { backendType, format, url }: { readonly backendType: string; readonly format: string; readonly url: string },
  ): Promise<void> {
    const destinationUrl = `${url}/conform.${format}`;
    const wanted = { vmId, destinationUrl, format, backendType, transferMode: "relay" };
    const first = await this.#done(`ExportDisk ${format} to ${backendType}`, "exportDisk", wanted);
    const checksum = first?.checksum || (await this.ask("exportDisk", wanted)).checksum;
    this.#is(`ExportDisk ${format} to ${backendType} gives a SHA-256`, /^[0-9a-f]{64}$/.test(checksum));
    if (!can.supportsDiskImport || !can.supportedImportFormats.includes(format)) return;
    const request = {
      ...{ sourceUrl: destinationUrl, format, backendType, transferMode: "relay" },
      ...{ targetName: `conform-${format}`, verifyChecksum: true },
    };
    const made = await this.#done("ImportDisk", "importDisk", { ...request, expectedChecksum: checksum });
    this.#is("ImportDisk says where the disk is", (made?.diskId ?? "") !== "" && (made?.path ?? "") !== "");
  }

  async #image(imageJson: string): Promise<void> {
    const wanted = { imageJson, targetName: "conform-image" };
    const made = await this.#done("ImagePrepare", "imagePrepare", wanted);
    this.#is("ImagePrepare names the image", `${made?.preparedImageId}${made?.preparedImagePath}` !== "");
    const again = await this.ask("imagePrepare", wanted);
    this.#is("ImagePrepare of what is prepared is done at once", (again.task?.id ?? "") === "");
  }

  async #end(id: string): Promise<void> {
    await this.#done("Delete", "delete", { id });
    await this.#done("Delete of what is gone", "delete", { id });
    try {
      const { exists } = await this.ask("describe", { id });
      this.#is("Describe says that it is gone", !exists);
    } catch (error) {
      const failure = error instanceof RpcError ? meaningOf(error.code, error.message, "describe").failure : "";
      this.#is("Describe says that it is gone", failure === "NotFound");
    }
    this.#is("ListVMs has it no more", (await this.#listed("conform")).length === 0);
  }
}
