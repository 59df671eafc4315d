// The disks of a machine that is being made: the root from wherever it comes, data disks, firmware variables. Every step is repeatable.
import { access } from "node:fs/promises";
import { join } from "node:path";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { checkStep, convert, fetchImage } from "./image.ts";
import type { DiskFormat, Machine } from "./machine.ts";
import type { TaskRecord } from "./task-record.ts";
import type { Step } from "./work.ts";

const GiB = 2 ** 30;

/** Data disks, firmware, and the machine is there. */
export function finishSteps(box: Box, id: string): readonly Step[] {
  const paths = box.layout.machine(id);
  return [
    {
      name: "make the data disks",
      stage: "Importing",
      kind: "steps",
      async run() {
        for (const disk of box.machines.need(id).disks)
          await makeDisk(box, paths.disk(disk.name, 0), disk.sizeGiB * GiB, disk.isThick);
      },
    },
    {
      name: "define the machine",
      stage: "Importing",
      kind: "steps",
      async run(task) {
        const machine = box.machines.need(id);
        if (machine.firmware === "uefi") await makeVars(box, paths.disk("vars", 0));
        await box.machines.save({ ...machine, state: "defined" });
        task.result({ id });
      },
    },
  ];
}

/** An empty disk, unless it is there. */
export async function makeDisk(box: Box, path: string, bytes: number, isThick: boolean): Promise<void> {
  if (await isThere(path)) return;
  if (isThick) await box.room(bytes);
  const part = `${path}.part`;
  const thick = isThick ? ["-o", "preallocation=falloc"] : [];
  await box.img("a disk cannot be made", "create", "-q", "-f", "qcow2", ...thick, part, String(bytes));
  await box.host.rename(part, path);
}

async function makeVars(box: Box, path: string): Promise<void> {
  if (await isThere(path)) return;
  const part = `${path}.part`;
  await box.img("firmware", "convert", "-f", "raw", "-O", "qcow2", box.settings.ovmfVars ?? "", part);
  await box.host.rename(part, path);
}

export function rootSteps(box: Box, machine: Machine, record: TaskRecord): readonly Step[] {
  const { from, isThick, sizeGiB } = machine.root;
  const paths = box.layout.machine(machine.id);
  const root = paths.disk("root", 0);
  const part = `${root}.part`;
  const grow: Step = {
    name: "size the root disk",
    stage: "Importing",
    kind: "steps",
    async run() {
      if (await isThere(root)) return;
      const { virtualSize } = await box.info(part, "qcow2");
      const bytes = (sizeGiB ?? 0) * GiB;
      if (bytes > virtualSize)
        await box.img("the root disk cannot grow", "resize", "-q", "-f", "qcow2", part, String(bytes));
      await box.host.rename(part, root);
    },
  };
  const copy = (source: string, format: DiskFormat): Step => ({
    name: "copy the root disk",
    stage: "Converting",
    kind: "proc",
    async argv() {
      await box.room(await box.measure(source, format, "qcow2"));
      await box.host.remove(part);
      return [...convert(box, format, "qcow2"), source, part];
    },
  });
  const overlay = (source: string, format: DiskFormat): Step => ({
    name: "make the root disk",
    stage: "Importing",
    kind: "steps",
    async run() {
      await box.img("the root disk cannot be made", "create", "-q", "-f", "qcow2", "-b", source, "-F", format, part);
    },
  });
  switch (from.is) {
    case "image": {
      const { disk } = box.layout.image(from.target);
      return [isThick ? copy(disk, "qcow2") : overlay(disk, "qcow2"), grow];
    }
    case "file":
      // A vmdk below a qcow2 works, and is slow; a copy is made once.
      return [isThick || from.format === "vmdk" ? copy(from.path, from.format) : overlay(from.path, from.format), grow];
    case "import":
      return [
        {
          name: "take the imported disk",
          stage: "Importing",
          kind: "steps",
          async run() {
            const disk = box.layout.imported(from.disk);
            if (await isThere(disk)) await box.host.rename(disk, part);
            else if (!(await isThere(part))) throw new RpcError("NOT_FOUND", `imported disk ${from.disk} not found`);
          },
        },
        grow,
      ];
    case "url": {
      const file = join(paths.disks, "download.part");
      const fetched: Step = {
        name: "fetch the image",
        stage: "Downloading",
        kind: "steps",
        run: (task) =>
          fetchImage(
            box,
            task,
            {
              url: from.url,
              headers: {},
              hasSecrets: record.params["hasSecrets"] === true,
              ...(from.checksum && { checksum: from.checksum }),
            },
            file,
          ),
      };
      const source = () => Promise.resolve(file);
      const tidy: Step = {
        name: "remove the download",
        stage: "Importing",
        kind: "steps",
        run: () => box.host.remove(file),
      };
      return [fetched, checkStep(box, source, () => Promise.resolve(from.format)), copy(file, from.format), grow, tidy];
    }
    case "clone":
      return [];
  }
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
