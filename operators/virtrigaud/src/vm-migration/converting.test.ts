// What is decided of disks that have to be converted, and of those that have to be removed.
import { instant } from "@telltale/kinds";
import type { Job } from "@telltale/kinds/builtin";
import { text } from "@telltale/status";
import { describe, expect, it, test } from "vitest";
import { migrationOf } from "../../test/staged-migration.ts";
import { Provider, VMSnapshot } from "../kinds/index.ts";
import type { VMMigrationSpec } from "../kinds/vm-migration-spec.ts";
import { converting } from "./converting.ts";
import { decide } from "./decide.ts";
import type { JobState, Work } from "./job-state.ts";
import { awaited, type End, nextCleaning, troubles } from "./leftovers.ts";
import { resumeAt, withoutExport } from "./retrying.ts";
import type { World } from "./world.ts";

const url = "pvc://shared/vmmigrations/demo/a/export-1.qcow2";
const converted = "pvc://shared/vmmigrations/demo/a/export-1-converted.raw";
const now = instant(1_000_000_000_000);

const providerOf = (type: Provider["spec"]["type"], supportedImportFormats: readonly string[]): Provider => ({
  apiVersion: Provider.apiVersion,
  kind: Provider.kind,
  metadata: { name: "new" },
  spec: { type, endpoint: "tcp://a:1", credentialSecretRef: { name: "a" }, runtime: { image: "i" } },
  status: { reportedCapabilities: { supportedImportFormats: [...supportedImportFormats] } },
});
const sideOf = (provider: Provider): World["to"] => ({
  at: { namespace: "demo", name: "new" },
  channel: { is: "closed", why: text`away`, provider },
  refusal: undefined,
  unmounted: undefined,
});

interface Wanted {
  readonly formats?: readonly string[];
  readonly type?: Provider["spec"]["type"];
  readonly spec?: Partial<VMMigrationSpec>;
}

function worldOf({ formats = ["raw"], type = "qemu", spec = {} }: Wanted = {}, more: Partial<World> = {}): World {
  return {
    migration: migrationOf("a", spec),
    now,
    phase: "Converting",
    source: { at: { namespace: "demo", name: "web" }, vm: undefined, lock: "free" },
    from: sideOf(providerOf("qemu", [])),
    to: sideOf(providerOf(type, formats)),
    target: { at: { namespace: "demo", name: "web2" }, object: undefined, isOurs: false },
    snapshot: undefined,
    claim: { name: "shared", isUsers: true, object: undefined, isShared: false },
    tools: { image: "example/qemu-img:1.0", shell: ["sh"] },
    jobs: [],
    problem: undefined,
    lacking: undefined,
    staged: [url],
    record: undefined,
    held: { exportID: "e", storageInfo: { url } },
    told: { ready: undefined, failed: undefined },
    heard: {},
    ...more,
  };
}
const jobOf = (name: string, state: JobState, job: Job = {}): Work => ({ name, state, job });
const by = (state: JobState, more: Partial<World> = {}) =>
  converting(worldOf({}, { jobs: [jobOf("a-convert-1", state)], ...more }));

describe("a disk on the claim", () => {
  test.each([
    ["what the target keeps its own disks in", "vsphere", ["raw", "vmdk"], "vmdk"],
    ["the first that can be written", "qemu", ["exotic", "vdi", "raw"], "raw"],
  ] as const)("is converted to %s", (_what, type, formats, to) => {
    expect(converting(worldOf({ type, formats }))).toEqual({
      is: "do",
      deed: { is: "convert", name: "a-convert-1", url, to },
    });
  });

  it.each([
    ["is read as it is", worldOf({ formats: ["qcow2"] })],
    ["is taken for readable where nothing is said", worldOf({ formats: [] })],
    ["was converted before", worldOf({}, { staged: [url, converted], held: { storageInfo: { url: converted } } })],
  ])("is not converted where it %s", (_what, world) => {
    expect(converting(world)).toEqual({ is: "rest", as: { is: "move", to: "Importing" } });
  });

  const nfs = { type: "nfs", nfs: { server: "192.0.2.7", export: "/srv" } } as const;
  it.each([
    [
      "it is not on a claim",
      worldOf({ spec: { storage: nfs } }),
      /only what lies on a claim .*diskFormat to one of raw$/,
    ],
    ["nobody can write what is read", worldOf({ formats: ["exotic"] }), /qemu-img writes none of exotic$/],
    [
      "there is no image",
      worldOf({}, { tools: undefined }),
      /diskFormat to one of raw, or tell .* by VIRTRIGAUD_MIGRATION_JOB_IMAGE$/,
    ],
    ["somebody has the name", worldOf({}, { heard: { taken: text`Job x is somebody else's` } }), /^Job x is somebody/],
  ])("cannot be converted where %s, which is said with what to do", (_what, world, why) => {
    expect(converting(world)).toMatchObject({ as: { is: "failed", reason: "StorageError" } });
    expect(converting(world)).toMatchObject({ as: { why: expect.stringMatching(why) } });
  });

  it("is waited for as its Job says, and known by its new checksum when that is done", () => {
    const said = (state: JobState) => by(state);
    expect(said({ is: "waiting", why: text`no room` })).toMatchObject({
      as: { is: "wait", why: expect.stringContaining("no room") },
    });
    expect(said({ is: "running" })).toMatchObject({ as: { why: "Job a-convert-1 converts qcow2 to raw" } });
    expect(said({ is: "going" })).toMatchObject({ as: { is: "wait" } });
    const checksum = "f".repeat(64);
    expect(said({ is: "done", result: { checksum, size: 9 } })).toMatchObject({
      deed: { held: { diskInfo: { checksum }, storageInfo: { url: converted, size: "9" } } },
    });
    expect(said({ is: "done", result: undefined })).toMatchObject({
      deed: { held: { storageInfo: { url: converted } } },
    });
  });

  it("that is no good is exported again; a Job that failed by itself is tried again", () => {
    const failed = { is: "failed", why: text`x`, at: now } as const;
    expect(by({ ...failed, isBad: true })).toMatchObject({ as: { reason: "StorageError", isStale: true } });
    expect(by({ ...failed, isBad: false })).not.toMatchObject({ as: { isStale: true } });
    const held = { exportID: "e", progress: { currentPhase: "Converting" as const } };
    expect(resumeAt(worldOf({}, { held }))).toBe("Converting");
    expect(resumeAt(worldOf({}, { held: withoutExport(held) }))).toBe("Exporting");
  });
});

describe("what is staged on the claim of a person", () => {
  const policy = (cleanupPolicy: "Always" | "OnSuccess" | "Never"): Wanted => ({
    spec: { ...worldOf().migration.spec, options: { cleanupPolicy } },
  });
  test.each([
    ["Always", "success", true],
    ["Always", "failure", true],
    ["Always", "deleted", true],
    ["OnSuccess", "success", true],
    ["OnSuccess", "failure", false],
    ["OnSuccess", "deleted", false],
    ["Never", "success", false],
    ["Never", "failure", false],
  ] as const)("with %s, after %s: removed is %s", (cleanupPolicy, end, isRemoved) => {
    const what = nextCleaning(worldOf(policy(cleanupPolicy)), end);
    expect(what).toEqual(isRemoved ? { is: "removeStaged", url } : undefined);
  });

  const always = policy("Always");
  const next = (end: End, more: Partial<World>) => nextCleaning(worldOf(always, more), end);

  it("is removed by a Job where no provider can, all at once", () => {
    expect(next("success", { heard: { unreached: [url] } })).toEqual({ is: "removeByJob", urls: [url] });
  });

  it("is not removed while something may still write it", () => {
    const work = jobOf("a-convert-1", { is: "running" });
    expect(next("failure", { jobs: [work] })).toEqual({ is: "removeJob", work });
    const going = { jobs: [jobOf("a-convert-1", { is: "going" })] };
    expect(next("failure", going)).toBeUndefined();
    expect(awaited(worldOf(always, going))).toBe("Job a-convert-1 is being stopped");
  });

  it("is forgotten when its Job is done, and tried again some time after that has failed", () => {
    const job = { metadata: { annotations: { "virtrigaud.io/staged-objects": JSON.stringify([url, "x"]) } } };
    const done = jobOf("a-remove", { is: "done", result: undefined }, job);
    expect(next("success", { jobs: [done] })).toEqual({ is: "forgetStaged", entries: [url], told: [] });
    expect(next("success", { jobs: [done], staged: [] })).toEqual({ is: "removeJob", work: done });
    const failedAt = (at: number) =>
      jobOf("a-remove", { is: "failed", why: text`full`, isBad: false, at: instant(at) });
    expect(next("success", { jobs: [failedAt(now - 1_000)] })).toBeUndefined();
    expect(troubles(worldOf(always, { jobs: [failedAt(now - 1_000)] }))).toEqual({ "a-remove": "full" });
    expect(next("success", { jobs: [failedAt(now - 300_000)] })).toMatchObject({ is: "removeJob" });
  });

  it("goes once more where a server that was put back has it again, and a snapshot of somebody else stays", () => {
    const held = { exportID: "e", storageInfo: { url, cleanedUp: true } };
    expect(decide(worldOf(always, { phase: "Ready", held }))).toMatchObject({ deed: { what: { is: "removeStaged" } } });
    const over = { is: "rest", as: { is: "over" } };
    expect(decide(worldOf(always, { phase: "Ready", held, staged: [] }))).toEqual(over);
    const snapshot = {
      apiVersion: VMSnapshot.apiVersion,
      kind: VMSnapshot.kind,
      metadata: { name: "a-src" },
      spec: { vmRef: { name: "web" } },
    };
    expect(decide(worldOf(always, { phase: "Ready", held, staged: [], snapshot }))).toEqual(over);
  });

  it("is left alone, and told of, where somebody else has put it on the list", () => {
    const foreign = "pvc://shared/vmmigrations/demo/b/export-1.qcow2";
    expect(next("success", { staged: [foreign, url] })).toEqual({ is: "disown", entries: [foreign] });
  });
});
