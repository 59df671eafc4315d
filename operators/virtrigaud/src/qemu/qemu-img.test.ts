import { expect, it } from "vitest";
import { failureOf, infoOf, isSound, measured, progressIn, refuseHostile } from "./qemu-img.ts";

const info = (more: object) =>
  infoOf(JSON.stringify({ filename: "/x", format: "qcow2", "virtual-size": 1024, "actual-size": 10, ...more }))[0];
const refused = (more: object) => () => refuseHostile(info(more), "qcow2", 2048);

it("takes an image that stands alone, and no other", () => {
  expect(refused({})).not.toThrow();
  expect(refused({ "backing-filename": "/etc/shadow" })).toThrow(/it has a backing file/);
  expect(refused({ "full-backing-filename": "nbd://evil" })).toThrow(/it has a backing file/);
  expect(refused({ "format-specific": { data: { "data-file": "/etc/shadow" } } })).toThrow(/another file/);
  expect(
    refused({ "format-specific": { data: { extents: [{ filename: "/x" }, { filename: "/etc/shadow" }] } } }),
  ).toThrow(/another file/);
  expect(refused({ encrypted: true })).toThrow(/encrypted/);
  expect(refused({ format: "raw" })).toThrow(/it is raw, and declared as qcow2/);
  expect(refused({ "virtual-size": 2 ** 60 })).toThrow(/more than the 2048 that are allowed/);
  expect(refused({ "backing-filename": "/etc/shadow" })).not.toThrow(/shadow/);
});

it("reads layers, tags and measures", () => {
  const chain = infoOf(
    JSON.stringify([{ filename: "/a", "backing-filename": "/b", snapshots: [{ name: "s-1" }] }, { filename: "/b" }]),
  );
  expect(chain.map(({ filename, backingFile, snapshots }) => [filename, backingFile, snapshots])).toEqual([
    ["/a", "/b", ["s-1"]],
    ["/b", undefined, []],
  ]);
  expect(measured(`{"required": 393216, "fully-allocated": 1}`)).toBe(393_216);
  expect([0, 1, 2, 3].map(isSound)).toEqual([true, false, false, true]);
});

it("knows how far a copy is from the last thing that was said", () => {
  expect(progressIn("")).toBeUndefined();
  expect(progressIn("    (0.00/100%)\r    (12.34/100%)\r")).toBe(12.34);
  expect(progressIn("(100.00/100%)\n")).toBe(100);
});

it("says what a failure means, without the host's paths", () => {
  const code = (output: string) => failureOf("copy", output).code;
  expect(code("qemu-img: error while writing at byte 0: No space left on device\n")).toBe("RESOURCE_EXHAUSTED");
  expect(failureOf("copy", "x: No space left on device").message).toContain("no space");
  expect(code('qemu-img: Failed to get "write" lock\nIs another process using the image?')).toBe("ABORTED");
  expect(code("qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory")).toBe(
    "RESOURCE_EXHAUSTED",
  );
  expect(
    failureOf("start", "qemu-system-x86_64: Could not open '/var/lib/x/root.qcow2': Permission denied\n").message,
  ).toBe("start: Could not open 'root.qcow2': Permission denied");
});
