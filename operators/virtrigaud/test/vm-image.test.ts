// An image as its controller has it prepared: once, on each provider in turn, whatever happens on the way.
import { plus } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { Provider, VirtualMachine, VMImage } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { annotations } from "../src/names.ts";
import { answer, fail, hang, lose, refuse, repeat } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { vmImages } from "../src/vm-image/controller.ts";
import { namespace, type ProviderOptions, type Stage, type StageOptions, stage } from "./stage.ts";

let here: Stage | undefined;
afterEach(async () => {
  await here?.end();
  here = undefined;
});

const hosts: Readonly<Record<string, string>> = { "images.example": "192.0.2.80", "inside.example": "169.254.169.254" };

async function open(more: Partial<StageOptions> = {}): Promise<Stage> {
  here = await stage({
    controllers: ({ links }) => [
      vmImages({
        crossing: { isFree: false },
        workers: 2,
        links,
        tls: new KnownSecrets(),
        addresses: {},
        lookup: async (host) => [hosts[host] ?? []].flat(),
      }),
    ],
    ...more,
  });
  return here;
}

const able = { status: { reportedCapabilities: { supportsImageImport: true } } };
const provider = (it: Stage, name: string, more: ProviderOptions = {}): Promise<SimulatedHost> =>
  it.provider(name, { durations: { image: 15_000 }, ...more, status: { ...able.status, ...more.status } });

const source = { http: { url: "https://images.example/tiny.qcow2" } };
const spec = { source, prepare: { timeout: "10m" } };
const machine = (on = "box", more: object = {}) => ({
  providerRef: { name: on },
  classRef: { name: "small" },
  imageRef: { name: "tiny" },
  ...more,
});
const status = async (it: Stage) => (await it.get(VMImage, "tiny"))?.status;
const says = (it: Stage, type?: string) => it.says(VMImage, "tiny", type);
const record = async (it: Stage) => (await it.get(VMImage, "tiny"))?.metadata.annotations?.[annotations.pendingOp];
const isReady = async (it: Stage) => (await status(it))?.phase === "Ready";

describe("S47 image prepared once", () => {
  it("for two machines on one provider, with what is known of it on the way", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    expect(await says(it)).toMatch(/^False NotRequested/);
    expect(await status(it)).toMatchObject({ phase: "Pending", ready: false });
    await it.apply(VirtualMachine, "one", machine());
    await it.apply(VirtualMachine, "two", machine());
    await it.pass(2_000);
    expect(await says(it, "Importing")).toBe('True Importing importing image into provider "box"');
    expect(await status(it)).toMatchObject({ prepareTaskRef: expect.stringMatching(/^box\|./), ready: false });
    expect((await status(it))?.providerStatus?.["box"]).toMatchObject({ available: false, path: "/images/tiny.qcow2" });
    await it.pass(8_000);
    expect(await status(it)).toMatchObject({
      phase: "Downloading",
      importProgress: { percentage: expect.any(Number), totalBytes: 2 ** 30, eta: expect.stringMatching(/s$/) },
    });
    await it.until(() => isReady(it), 20_000);
    expect(await status(it)).toMatchObject({
      ready: true,
      availableOn: ["box"],
      providerStatus: { box: { available: true, id: "tiny", message: "image prepared", size: "1Gi" } },
      size: "1Gi",
      format: "qcow2",
      importProgress: { percentage: 100 },
    });
    expect((await status(it))?.prepareTaskRef).toBeUndefined();
    expect(await says(it)).toBe('True Prepared image prepared on provider "box"');
    expect(await says(it, "Importing")).toBe("False Prepared image import complete");
    expect(await says(it, "Downloading")).toMatch(/^False/);
    expect(box.asked("imagePrepare").map(({ request }) => request.targetName)).toEqual(["tiny"]);
    expect(JSON.parse(box.asked("imagePrepare")[0]?.request.imageJson ?? "")).toMatchObject({ source, prepare: {} });
    expect(await record(it)).toBeUndefined();
    it.writes();
    await it.pass(3_600_000);
    expect(it.writes()).toEqual([]);
    expect(it.complaints).toEqual([]);
  });

  it("on two providers one after the other, each asked about its own task", async () => {
    const it = await open();
    const [a, b] = [await provider(it, "a"), await provider(it, "b")];
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine("b"));
    await it.apply(VirtualMachine, "two", machine("a"));
    await it.pass(5_000);
    const inFlight = (await status(it))?.prepareTaskRef ?? "";
    const [first, second] = inFlight.startsWith("a|") ? [a, b] : [b, a];
    expect(first.asked("imagePrepare")).toHaveLength(1);
    expect(second.asked("imagePrepare")).toEqual([]);
    await it.until(async () => (await status(it))?.availableOn?.length === 2, 60_000);
    expect((await status(it))?.availableOn).toEqual(["a", "b"]);
    for (const host of [a, b]) {
      expect(host.asked("imagePrepare")).toHaveLength(1);
      expect(host.asked("taskStatus").every(({ outcome }) => outcome === "OK")).toBe(true);
    }
  });

  it("without a machine where a person asks for it, and by an answer without a task", async () => {
    const it = await open();
    const box = await provider(it, "box", { profile: { work: "inline" }, durations: { image: 0 } });
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.prepareOn]: "box, nobody" } });
    await it.pass(2_000);
    expect(await status(it)).toMatchObject({ phase: "Ready", availableOn: ["box"] });
    expect(box.asked("taskStatus")).toEqual([]);
  });

  it("a call that takes its time holds up no other image", async () => {
    const it = await open();
    const box = await provider(it, "box", { profile: { work: "inline" }, durations: { image: 300_000 } });
    for (const name of ["one", "two", "three"]) {
      await it.apply(VMImage, name, { source }, { annotations: { [annotations.prepareOn]: "box" } });
    }
    await it.pass(2_000);
    expect(box.asked("imagePrepare")).toHaveLength(3);
    await it.pass(310_000);
    expect(await it.says(VMImage, "three")).toMatch(/^True Prepared/);
  });
});

describe("what needs no preparation", () => {
  it("S48 onMissing Fail with a reference: used as it is, and never said to be there, as no provider is asked for it", async () => {
    const it = await open();
    const box = await provider(it, "box");
    const reference = { source: { libvirt: { path: "/images/base.qcow2" } }, prepare: { onMissing: "Fail" } };
    await it.apply(VMImage, "tiny", reference);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    expect(await says(it)).toBe(
      'Unknown Reference used as it is on provider "box", which is not asked whether it has it',
    );
    const unknown = await status(it);
    expect(unknown?.phase).toBe("Pending");
    for (const field of ["ready", "availableOn", "providerStatus"] as const) expect(unknown?.[field]).toBeUndefined();
    expect(box.calls).toEqual([]);
    await it.status(VirtualMachine, "one", { id: "vm-1" });
    await it.patch(VMImage, "tiny", { spec: { source: { libvirt: null, ...source } } });
    await it.pass(1_100);
    expect(await says(it)).toMatch(/^False NotRequested/);
  });

  it("an entry that an earlier version wrote for a reference is dropped", async () => {
    const it = await open({ idle: true });
    await provider(it, "box");
    await it.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/base.qcow2" } } });
    const box = {
      available: true,
      path: "/images/base.qcow2",
      message: "reference",
      lastUpdated: "2026-01-01T00:00:00Z",
    };
    await it.status(VMImage, "tiny", { phase: "Ready", ready: true, availableOn: ["box"], providerStatus: { box } });
    await it.apply(VirtualMachine, "one", machine());
    await it.restart();
    await it.pass(1_100);
    expect(await says(it)).toMatch(/^Unknown Reference/);
    expect((await status(it))?.availableOn).toBeUndefined();
  });

  it("a provider that was not asked what it can do, or is away, is not said to be unable", async () => {
    const it = await open();
    await it.provider("box", { status: { runtime: { phase: "Pending", endpoint: "" } } });
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    expect(await says(it)).toBe("Unknown ProviderUnreachable Provider box cannot be reached: its conditions say why");
    await it.status(Provider, "box", { runtime: { phase: "Running", endpoint: "box:9443" } });
    await it.pass(1_100);
    expect(await says(it)).toBe('Unknown NotAsked provider "box" has not said yet whether it imports images');
    expect((await status(it))?.ready).toBeUndefined();
  });

  it("a preparation whose provider does not answer any more is Unknown, in the same words, until it answers", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(4_000);
    box.isUp = false;
    await it.pass(10_000);
    const away = 'importing image into provider "box": Provider box cannot be reached: its conditions say why';
    expect(await says(it)).toBe(`Unknown ProviderUnreachable ${away}`);
    expect(await says(it, "Importing")).toMatch(/^Unknown ProviderUnreachable/);
    it.writes();
    await it.pass(120_000);
    expect(it.writes()).toEqual([]);
    box.isUp = true;
    await it.until(() => isReady(it), 60_000);
    expect(await says(it, "Importing")).toMatch(/^False Prepared/);
  });

  it("on a provider that imports nothing there is no entry", async () => {
    const it = await open();
    const box = await it.provider("box", { status: { reportedCapabilities: { supportsSnapshots: true } } });
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    expect(await says(it)).toMatch(/^False Unsupported provider "box" does not say/);
    expect((await status(it))?.providerStatus).toBeUndefined();
    await it.status(Provider, "box", able.status);
    await it.pass(1_100);
    expect(box.asked("imagePrepare")).toHaveLength(1);
  });

  it("where people bring it themselves, it is waited for, or missed", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", { source, prepare: { onMissing: "Fail" } });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(1_100);
    expect(await says(it)).toBe(
      'False MissingOnProvider image not available on provider "box" and Prepare.OnMissing=Fail',
    );
    expect((await status(it))?.phase).toBe("Failed");
    await it.patch(VMImage, "tiny", { spec: { prepare: { onMissing: "Wait" } } });
    await it.pass(1_100);
    expect(await says(it)).toMatch(/^False WaitingForImage/);
    expect((await status(it))?.phase).toBe("Pending");
    expect(box.calls).toEqual([]);
  });
});

describe("what goes wrong", () => {
  const failed = async (it: Stage) => (await status(it))?.phase === "Failed";

  it("is tried again after 30, 60 and 120 s, and then no more, until the spec changes", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", repeat(fail("disk on fire")));
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.until(() => failed(it), 600_000);
    const times = box.asked("imagePrepare").map(({ at }) => at);
    const gaps = times.slice(1).map((at, i) => Math.round((at - (times[i] ?? 0)) / 1_000));
    expect(gaps).toHaveLength(3);
    for (const [i, least] of [30, 60, 120].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(least + 15);
      expect(gaps[i]).toBeLessThanOrEqual(least + 25);
    }
    expect(await says(it)).toBe(
      'False ProviderError provider "box": attempt 4 of 4 failed, ProviderError: disk on fire',
    );
    expect(await says(it, "Importing")).toMatch(/^False ProviderError/);
    expect((await status(it))?.providerStatus?.["box"]?.message).toMatch(/^attempt 4 of 4 failed/);
    await it.pass(3_600_000);
    expect(box.asked("imagePrepare")).toHaveLength(4);
    box.heal();
    await it.patch(VMImage, "tiny", { spec: { prepare: { timeout: "11m" } } });
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(5);
  });

  it("keeps its count and its clock over a restart", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", fail("once"), fail("twice"));
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.until(async () => /attempt 1 of 4 failed/.test(await says(it)), 60_000);
    await it.pass(20_000);
    await it.restart();
    await it.pass(2_000);
    expect(box.asked("imagePrepare")).toHaveLength(1);
    await it.pass(10_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
    await it.until(async () => /attempt 2 of 4 failed/.test(await says(it)), 60_000);
    await it.restart();
    await it.pass(50_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(3);
  });

  it("one provider's trouble holds up no other", async () => {
    const it = await open();
    const [a] = [await provider(it, "a"), await provider(it, "b")];
    a.script("imagePrepare", repeat(refuse("UNAVAILABLE")));
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.prepareOn]: "a,b" } });
    await it.until(() => isReady(it), 60_000);
    expect(await status(it)).toMatchObject({
      availableOn: ["b"],
      message: expect.stringContaining("Provider a cannot be reached"),
    });
  });

  it("a provider that does not answer is asked later and later, and nothing is counted", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", repeat(refuse("UNAVAILABLE", "no route"), 6));
    await it.apply(VMImage, "tiny", { source, prepare: { retries: 0 } });
    await it.apply(VirtualMachine, "one", machine());
    await it.until(() => isReady(it), 400_000);
    const times = box.asked("imagePrepare").map(({ at }) => at);
    const gaps = times.slice(1).map((at, i) => (at - (times[i] ?? 0)) / 1_000);
    for (const [i, about] of [5, 10, 20, 40, 60, 60].entries()) {
      expect(gaps[i]).toBeGreaterThan(about * 0.85);
      expect(gaps[i]).toBeLessThan(about * 1.15 + 2);
    }
  });

  it("what the provider cannot do, or does not understand, is not tried again", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", refuse("UNIMPLEMENTED", "no images here"));
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(600_000);
    expect(await says(it)).toBe('False Unsupported provider "box": refused, Unsupported: no images here');
    expect((await status(it))?.phase).toBe("Failed");
    expect(box.asked("imagePrepare")).toHaveLength(1);
  });

  it("takes too long: the task is dropped, and it counts as failed", async () => {
    const it = await open();
    const box = await provider(it, "box", { durations: { image: 3_600_000 } });
    await it.apply(VMImage, "tiny", { source, prepare: { timeout: "5m", retries: 0 } });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(295_000);
    expect((await status(it))?.prepareTaskRef).toMatch(/^box\|/);
    await it.pass(10_000);
    expect(await says(it)).toMatch(/^False Timeout provider "box": attempt 1 of 1 failed, Timeout/);
    expect(await status(it)).toMatchObject({ phase: "Failed" });
    expect((await status(it))?.prepareTaskRef).toBeUndefined();
    expect(box.asked("imagePrepare")).toHaveLength(1);
  });

  it("a call that never answers ends with its deadline", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", hang);
    await it.apply(VMImage, "tiny", { source, prepare: { timeout: "2m", retries: 1 } });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(125_000);
    expect(await says(it)).toMatch(/^False Timeout/);
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
  });

  it("a checksum that is another one", async () => {
    const it = await open();
    await provider(it, "box");
    const checked = { http: { ...source.http, checksum: "0".repeat(64) } };
    await it.apply(VMImage, "tiny", { source: checked, prepare: { retries: 0 } });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(2_000);
    expect(await says(it, "Validated")).toMatch(/^Unknown Importing/);
    await it.until(() => failed(it), 60_000);
    expect(await says(it)).toMatch(/^False ChecksumMismatch/);
    expect(await says(it, "Validated")).toMatch(/^False ChecksumMismatch/);
    const { providerStatus } = (await status(it)) ?? {};
    const real = /fetched is ([0-9a-f]{64})/.exec(providerStatus?.["box"]?.message ?? "")?.[1];
    await it.patch(VMImage, "tiny", { spec: { source: { http: { checksum: real } } } });
    await it.until(() => isReady(it), 60_000);
    expect(await says(it, "Validated")).toMatch(/^True Prepared/);
  });

  it("a spec that cannot work is named, and S46 keeps nobody else waiting", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", { source: { http: { ...source.http, checksum: "abc" } } });
    await it.apply(VirtualMachine, "one", machine());
    await it.apply(VMImage, "good", spec, { annotations: { [annotations.prepareOn]: "box" } });
    await it.pass(30_000);
    expect(await says(it)).toMatch(/^False ValidationError spec.source.http.checksum/);
    expect(await says(it, "Validated")).toMatch(/^False ValidationError/);
    expect((await status(it))?.phase).toBe("Failed");
    expect(await it.says(VMImage, "good")).toMatch(/^True Prepared/);
    expect(box.asked("imagePrepare")).toHaveLength(1);
  });

  it("S32 nobody is sent to an address that only the machine can reach", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", { source: { http: { url: "http://inside.example/secrets" } } });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(5_000);
    expect(await says(it)).toMatch(/^False ValidationError .*169\.254\.169\.254/);
    expect(box.calls).toEqual([]);
  });
});

describe("on the way", () => {
  it("the manager dies while the call is under way: it is sent again, and prepared once", async () => {
    const it = await open();
    const box = await provider(it, "box", { profile: { work: "inline" }, durations: { image: 20_000 } });
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(5_000);
    expect(JSON.parse((await record(it)) ?? "")).toMatchObject({ op: "ImagePrepare", attempt: 1 });
    expect(await status(it)).toMatchObject({ prepareTaskRef: "box|", phase: "Importing" });
    await it.restart();
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare").map(({ request }) => request.targetName)).toEqual(["tiny", "tiny"]);
    expect(box.images).toHaveLength(1);
    expect(await record(it)).toBeUndefined();
  });

  it("a record that a crash left behind goes when nobody wants the image any more", async () => {
    const it = await open();
    const pending = JSON.stringify({ op: "ImagePrepare", id: "7", attempt: 1, at: "2026-01-01T00:00:00Z" });
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.pendingOp]: pending } });
    await it.pass(2_000);
    expect(await record(it)).toBeUndefined();
  });

  it("nothing is sent before the server has taken the note of it", async () => {
    let isClosed = true;
    const it = await open({
      refuse: ({ method, path }) =>
        isClosed && method === "PATCH" && path.includes("/vmimages/") && !path.includes("/status") ? 500 : undefined,
    });
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(20_000);
    expect(box.asked("imagePrepare")).toEqual([]);
    expect(await says(it)).toMatch(/^False/);
    isClosed = false;
    await it.until(() => isReady(it), 120_000);
    expect(box.asked("imagePrepare")).toHaveLength(1);
  });

  it("the manager dies while the task runs: it is asked about, and nothing is sent again", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(4_000);
    const { lastPrepareTime } = (await status(it)) ?? {};
    await it.restart();
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(1);
    expect((await status(it))?.lastPrepareTime).toBe(lastPrepareTime);
  });

  it("an answer is lost: the image is asked for again by its name", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", lose());
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
    expect(box.images).toHaveLength(1);
  });

  it("the provider begins anew and knows no task any more: that is no failure", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(4_000);
    box.restart("is lost");
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
    expect((await status(it))?.providerStatus?.["box"]?.message).toBe("image prepared");
  });

  it("the provider goes away for a while: the task is kept, and nobody else is asked about it", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(4_000);
    await it.status(Provider, "box", { runtime: { phase: "Starting" } });
    box.forgetCalls();
    await it.pass(60_000);
    expect(box.calls).toEqual([]);
    expect((await status(it))?.prepareTaskRef).toMatch(/^box\|./);
    await it.status(Provider, "box", { runtime: { phase: "Running" } });
    await it.pass(2_000);
    expect(await isReady(it)).toBe(true);
    expect(box.asked("imagePrepare")).toEqual([]);
  });

  it("its Provider is deleted: what is known of it there is forgotten", async () => {
    const it = await open();
    await provider(it, "box");
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.prepareOn]: "box" } });
    await it.until(() => isReady(it), 60_000);
    await it.remove(Provider, "box");
    await it.pass(2_000);
    expect((await status(it))?.providerStatus).toBeUndefined();
    expect(await says(it)).toBe('False ProviderError provider "box": Provider box not found');
  });

  it("the clock is put back by a day: nobody waits for a day", async () => {
    const it = await open();
    const box = await provider(it, "box");
    box.script("imagePrepare", fail("once"));
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.until(async () => /attempt 1 of 4 failed/.test(await says(it)), 60_000);
    it.clock.jump(plus(it.clock.now(), -86_400_000));
    await it.pass(1_000);
    await it.patch(VMImage, "tiny", { metadata: { labels: { touched: "true" } } });
    await it.until(() => isReady(it), 120_000);
  });

  it("S55 every second write is refused: it is still prepared once", async () => {
    let count = 0;
    const it = await open({
      refuse({ method }) {
        if (method === "PATCH") count += 1;
        return method === "PATCH" && count % 2 === 0 ? 409 : undefined;
      },
    });
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec);
    await it.apply(VirtualMachine, "one", machine());
    await it.until(() => isReady(it), 120_000);
    expect(box.images).toHaveLength(1);
    expect(box.asked("imagePrepare").length).toBeLessThan(3);
  });
});

describe("names and places", () => {
  it("images of two namespaces do not share a name on the provider, and whom a namespace does not let in wants nothing", async () => {
    const it = await open({ namespaces: ["far", "stranger"] });
    const box = await provider(it, "box", {
      namespace: "far",
      spec: { type: "libvirt" },
      annotations: { [annotations.allowedNamespaces]: namespace },
    });
    const prepare = { storage: { libvirt: { storagePool: "fast" } } };
    await it.apply(VMImage, "tiny", { source, prepare }, {});
    const far = { providerRef: { name: "box", namespace: "far" } };
    await it.apply(
      VirtualMachine,
      "one",
      machine("box", { ...far, imageRef: { name: "tiny", namespace } }),
      {},
      "stranger",
    );
    await it.pass(2_000);
    expect(box.calls).toEqual([]);
    await it.apply(VirtualMachine, "one", machine("box", far));
    await it.until(() => isReady(it), 60_000);
    expect((await status(it))?.availableOn).toEqual(["far/box"]);
    expect(box.asked("imagePrepare")[0]?.request).toMatchObject({ targetName: "demo-tiny", storageHint: "fast" });
  });

  it("a change leaves alone what is prepared, unless it is forced", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.prepareOn]: "box" } });
    await it.until(() => isReady(it), 60_000);
    await it.patch(VMImage, "tiny", { spec: { source: { http: { url: "https://images.example/new.qcow2" } } } });
    await it.pass(5_000);
    expect(box.asked("imagePrepare")).toHaveLength(1);
    await it.patch(VMImage, "tiny", { spec: { prepare: { force: true } } });
    await it.pass(2_000);
    expect(await isReady(it)).toBe(false);
    await it.until(() => isReady(it), 60_000);
    expect(box.asked("imagePrepare").map(({ request }) => request.targetName)).toEqual(["tiny", "tiny-g3"]);
    expect((await status(it))?.providerStatus?.["box"]?.id).toBe("tiny-g3");
    await it.pass(60_000);
    expect(box.asked("imagePrepare")).toHaveLength(2);
  });

  it("what was prepared stays when the image goes, and that is said", async () => {
    const it = await open();
    await provider(it, "box");
    await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.prepareOn]: "box" } });
    await it.until(() => isReady(it), 60_000);
    await it.remove(VMImage, "tiny");
    await it.pass(2_000);
    expect(await it.get(VMImage, "tiny")).toBeUndefined();
    expect(await it.events(VMImage)).toEqual([
      "Warning PreparedImageRetained what was prepared stays: /images/tiny.qcow2 on provider box",
    ]);
  });
});

describe("credentials", () => {
  const secret = async (it: Stage, name: string, data: Record<string, string>) => {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
    await it.client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace },
      data: Object.fromEntries(encoded),
    });
  };
  const guarded = { http: { ...source.http, authentication: { basicAuth: { secretRef: { name: "login" } } } } };

  it("are sent to a provider that takes them, and are shown nowhere", async () => {
    const it = await open();
    const box = await provider(it, "box");
    await it.apply(VMImage, "tiny", { source: guarded });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(2_000);
    expect(await says(it)).toMatch(/^False ProviderError .*Secret login not found/);
    await secret(it, "login", { username: "ann", password: "canary-secret" });
    await it.until(() => isReady(it), 120_000);
    expect(box.asked("imagePrepare")[0]?.request.credentials).toEqual({ username: "ann", password: "canary-secret" });
    const shown = JSON.stringify([await it.get(VMImage, "tiny"), await it.events(VMImage), it.complaints, it.writes()]);
    expect(shown).not.toContain("canary");
  });

  it("for a provider that takes none there is no way", async () => {
    const it = await open();
    const box = await provider(it, "box", { like: "mock" });
    await secret(it, "login", { username: "ann", password: "canary-secret" });
    box.script("getCapabilities", answer({ supportsImageImport: true }));
    await it.apply(VMImage, "tiny", { source: guarded });
    await it.apply(VirtualMachine, "one", machine());
    await it.pass(60_000);
    expect(await says(it)).toMatch(/^False Unsupported .*takes no credentials/);
    expect(box.asked("imagePrepare")).toEqual([]);
  });
});

it("paused, it is not asked for; and goes on afterwards", async () => {
  const it = await open();
  const box = await provider(it, "box");
  await it.apply(VMImage, "tiny", spec, { annotations: { [annotations.paused]: "true" } });
  await it.apply(VirtualMachine, "one", machine());
  await it.pass(60_000);
  expect(await status(it)).toMatchObject({ message: "Paused", phase: "Pending" });
  expect(box.calls).toEqual([]);
  await it.patch(VMImage, "tiny", { metadata: { annotations: { [annotations.paused]: null } } });
  await it.until(() => isReady(it), 60_000);
});
