// The QEMU provider on a disk that is full for a moment. Needs no QEMU: it gets no further than its own files.

import { systemClock, systemRandom } from "@telltale/clock";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Host, systemHost } from "../src/qemu/host.ts";
import { createRequest, Kit } from "./qemu/kit.ts";

let kit: Kit;
beforeEach(() => {
  kit = new Kit();
});
afterEach(() => kit.close());

it("a machine whose task cannot be stored is not there, and the same request creates it later", async () => {
  let isDiskFull = true;
  const system = systemHost(systemClock, systemRandom);
  const host: Host = {
    ...system,
    write: (path, bytes) =>
      isDiskFull && path.includes("/tasks/")
        ? Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" }))
        : system.write(path, bytes),
  };
  await kit.open({}, host);
  const request = {
    ...createRequest("web", { requestId: "r-1" }),
    imageJson: JSON.stringify({ URL: "http://127.0.0.1:1/disk.qcow2", Format: "qcow2" }),
  };
  await expect(kit.ask("create", request)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
  expect((await kit.ask("listVMs", {})).vms).toEqual([]);
  isDiskFull = false;
  const { task } = await kit.ask("create", request);
  expect((await kit.ask("taskStatus", { task: { id: task?.id ?? "" } })).error).not.toContain("NOT_FOUND");
});
