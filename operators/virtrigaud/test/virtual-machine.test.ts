// One machine on one provider, from the first pass to the last: scenarios 1 to 16 of the specification.
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { PowerOp } from "../src/contract/contract.ts";
import { Provider, VirtualMachine, VMClass, VMClone, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { answer, fail, lose, refuse, repeat, slow } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { namespace, type ProviderOptions, type Stage, stage, type Tools } from "./stage.ts";

const second = 1_000;
const minute = 60 * second;

const machines = ({ links, random }: Tools) =>
  virtualMachines({
    workers: 10,
    senses: {
      links,
      random,
      streaks: new Streaks(),
      tls: new KnownSecrets(),
      places: new Reservations(),
      crossing: { isFree: false },
      httpGet: async () => 200,
    },
  });

let it_: Stage;
afterEach(() => it_.end());

const spec = {
  providerRef: { name: "box" },
  classRef: { name: "small" },
  imageRef: { name: "tiny" },
  powerState: "On",
};

/** A class, an image that the provider has, and the provider. */
async function ground(
  how: ProviderOptions = {},
  options: Partial<Parameters<typeof stage>[0]> = {},
): Promise<SimulatedHost> {
  it_ = await stage({ controllers: (tools) => [machines(tools)], ...options });
  await it_.apply(VMClass, "small", { cpu: 2, memory: "4Gi" });
  await it_.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  return it_.provider("box", how);
}

const make = (name = "web", more: object = {}, metadata: object = {}, home = namespace) =>
  it_.apply(VirtualMachine, name, { ...spec, ...more }, metadata, home);
const vm = (name = "web", home = namespace) => it_.get(VirtualMachine, name, home);
const says = (type = "Ready", name = "web", home = namespace) => it_.says(VirtualMachine, name, type, home);
const isReady = async (name = "web") => (await says("Ready", name)).startsWith("True");
const ready = (limit = 2 * minute, name = "web") => it_.until(() => isReady(name), limit);
const times = (host: SimulatedHost, method: Parameters<SimulatedHost["asked"]>[0]) =>
  host.asked(method).map(({ at }) => at);

describe("a machine", () => {
  it("S1 happy path: it is created once with its class's size, and becomes Running", async () => {
    const host = await ground();
    host.script("create", answer({ id: "vm-9", task: { id: "t1" } }));
    host.script("taskStatus", answer({ done: false }), answer({ done: true }));
    const seen = { exists: true, powerState: "On" };
    host.script("describe", answer(seen), repeat(answer({ ...seen, ips: ["10.0.0.9"] })));
    const phases: string[] = [];
    const watch = async () => {
      const phase = (await vm())?.status?.phase;
      if (phase !== undefined && phases.at(-1) !== phase) phases.push(phase);
      return isReady();
    };
    await make();
    await it_.until(watch, 2 * minute);
    expect(phases.filter((it) => it !== "Pending")).toEqual(["Provisioning", "Running"]);
    const [create, ...more] = host.asked("create");
    expect(more).toEqual([]);
    expect(JSON.parse(create?.request.classJson ?? "")).toMatchObject({ CPU: 2, MemoryMiB: 4096 });
    const { status, metadata } = (await vm()) ?? {};
    expect(await says()).toBe("True ReconcileSucceeded VM synchronized successfully");
    expect(status).toMatchObject({
      id: "vm-9",
      message: "VM is running",
      powerState: "On",
      currentResources: { cpu: 2, memoryMiB: 4096 },
      observedGeneration: metadata?.generation,
    });
    expect(metadata?.annotations).toEqual({ "virtrigaud.io/provider-id": "vm-9" });
    const first = times(host, "describe").at(-1) ?? 0;
    await it_.pass(10 * second);
    expect(times(host, "describe").at(-1)).toBe(first + 10 * second);
    host.forgetCalls();
    await it_.pass(90 * second);
    expect(host.asked("describe")).toHaveLength(0);
    await it_.pass(60 * second);
    expect(host.asked("describe")).toHaveLength(1);
  });

  it("S2 provider down before create: it waits longer and longer, and is created once", async () => {
    const host = await ground({ status: { runtime: { phase: "Starting", endpoint: "" } } });
    await make();
    expect((await vm())?.status?.phase).toBe("Pending");
    expect(await says()).toBe(
      "Unknown ProviderUnreachable Provider demo/box cannot be reached: its conditions say why",
    );
    await it_.pass(5 * minute);
    expect(host.calls).toHaveLength(0);
    await it_.status(Provider, "box", {
      runtime: { phase: "Running", endpoint: `virtrigaud-provider-${namespace}-box.${namespace}.svc:9443` },
    });
    await ready();
    expect(host.asked("create")).toHaveLength(1);
  });

  it("S3 crash after create: the machine is found by its name, and not made again", async () => {
    let isCut = true;
    const host = await ground(
      { profile: { sameName: "two" } },
      {
        refuse: ({ method, path }) => (isCut && method === "PATCH" && path.includes("/web/status") ? 503 : undefined),
      },
    );
    await make();
    expect(host.machines).toHaveLength(1);
    expect((await vm())?.metadata.annotations?.["virtrigaud.io/pending-op"]).toContain('"attempt":1');
    isCut = false;
    await it_.restart();
    await ready();
    expect(host.asked("create")).toHaveLength(1);
    expect(host.machines).toHaveLength(1);
    expect((await vm())?.status?.id).toBe(host.machines[0]?.id);
    expect((await vm())?.metadata.annotations?.["virtrigaud.io/pending-op"]).toBeUndefined();
  });

  it("S4 an answer is lost and nothing was made: it is asked for again, and there is one machine", async () => {
    const host = await ground({ profile: { sameName: "two" } });
    host.script("create", refuse("UNAVAILABLE"));
    await make();
    await ready(5 * minute);
    expect(host.asked("create")).toHaveLength(2);
    expect(host.machines).toHaveLength(1);
  });

  it("S4 an answer is lost and the machine was made: it is taken", async () => {
    const host = await ground({ profile: { sameName: "two" } });
    host.script("create", lose());
    await make();
    await ready(5 * minute);
    expect(host.asked("create")).toHaveLength(1);
    expect(host.machines).toHaveLength(1);
  });

  it("S5 quota: it waits for room without being blamed, and runs when there is some", async () => {
    const host = await ground();
    host.script("create", repeat(refuse("RESOURCE_EXHAUSTED", "quota exceeded for cpu"), 3));
    await make();
    expect(await says()).toBe("False QuotaExceeded Failed to create VM: quota exceeded for cpu");
    expect((await vm())?.status?.phase).toBe("Pending");
    await ready(10 * minute);
    const at = times(host, "create");
    expect(at.map((it, i) => (i === 0 ? 0 : (it - (at[i - 1] ?? 0)) / second))).toEqual([0, 60, 120, 240]);
    expect(it_.samples.filter(({ is }) => is === "counted")).toHaveLength(0);
  });

  it.each(["complete", "proxmox"] as const)(
    "like %s: what a later request made is found by who begins anew, also where an earlier one was refused",
    async (like) => {
      let isCut = false;
      const host = await ground(
        { like },
        {
          refuse: ({ method, path }) =>
            isCut && method === "PATCH" && path.includes("/web/status") && host.machines.length > 0 ? 503 : undefined,
        },
      );
      host.script("create", refuse("RESOURCE_EXHAUSTED", "quota exceeded for cpu"));
      await make();
      expect(await says()).toMatch(/^False QuotaExceeded /);
      isCut = true;
      await it_.until(() => host.machines.length > 0, 5 * minute);
      isCut = false;
      await it_.restart();
      await ready(5 * minute);
      expect(host.machines.map(({ id }) => id)).toEqual([(await vm())?.status?.id]);
    },
  );

  it("S6 bad spec: nothing is asked of the provider, and a corrected spec leads to Running", async () => {
    const host = await ground();
    // As where the definitions of an older installation let it through.
    await make("web", { imageRef: undefined, importedDisk: { diskID: "d1", source: "manual" } });
    expect((await vm())?.status?.phase).toBe("Failed");
    expect(await says()).toContain("False ValidationError spec.importedDisk.path is missing");
    await it_.pass(10 * minute);
    expect(host.calls).toHaveLength(0);
    await it_.patch(VirtualMachine, "web", { spec: { importedDisk: null, imageRef: { name: "tiny" } } });
    await ready();
  });

  it("S7 name conflict: the second one is not made, and its end touches nothing", async () => {
    const host = await ground({ annotations: { "virtrigaud.io/allowed-namespaces": "*" } }, { namespaces: ["other"] });
    await make();
    await ready();
    for (const [kind, name] of [
      [VMClass, "small"],
      [VMImage, "tiny"],
    ] as const) {
      const found = await it_.get<VMClass | VMImage>(kind, name);
      await it_.apply<VMClass | VMImage>(kind, name, found?.spec ?? {}, {}, "other");
    }
    await make("web", { providerRef: { name: "box", namespace } }, {}, "other");
    expect((await vm("web", "other"))?.status?.phase).toBe("Failed");
    expect(await says("Ready", "web", "other")).toBe(
      "False NameConflict VirtualMachine demo/web has the name web on this provider",
    );
    await it_.remove(VirtualMachine, "web", "other");
    expect(await vm("web", "other")).toBeUndefined();
    expect(host.asked("delete")).toHaveLength(0);
    expect(host.machines).toHaveLength(1);
  });

  it("S8 graceful stop: the guest is asked once, and is left alone when it is down", async () => {
    const host = await ground();
    await make();
    await ready();
    await it_.patch(VirtualMachine, "web", { spec: { powerState: "OffGraceful" } });
    expect(await says("Reconfiguring")).toBe("True ShuttingDown Graceful shutdown requested");
    await it_.until(async () => (await vm())?.status?.phase === "Stopped" && (await isReady()), minute);
    await it_.pass(10 * minute);
    const asked = host.asked("power").map(({ request }) => [request.op, request.gracefulTimeoutSeconds]);
    expect(asked.slice(1)).toEqual([[PowerOp.SHUTDOWN_GRACEFUL, 60]]);
  });

  it("S8 a guest that was asked before there was a reason for it is not asked again", async () => {
    const host = await ground({ guest: { shutdown: "ignored" }, profile: { endsGuests: false } });
    await make();
    await ready();
    await it_.patch(VirtualMachine, "web", { spec: { powerState: "OffGraceful" } });
    const now = (await vm())?.status?.conditions ?? [];
    const older = now.map((it) => (it.type === "Reconfiguring" ? { ...it, reason: "Updating" } : it));
    await it_.status(VirtualMachine, "web", { conditions: older });
    await it_.restart();
    await it_.until(async () => (await vm())?.status?.phase === "Stopped" && (await isReady()), 5 * minute);
    const asked = host.asked("power").slice(1);
    expect(asked.map(({ request }) => request.op)).toEqual([PowerOp.SHUTDOWN_GRACEFUL, PowerOp.OFF]);
  });

  it("S8 a guest that does not listen is switched off once, after its time", async () => {
    const host = await ground({ guest: { shutdown: "ignored" }, profile: { endsGuests: false } });
    await make();
    await ready();
    const began = it_.clock.now();
    await it_.patch(VirtualMachine, "web", { spec: { powerState: "OffGraceful" } });
    await it_.until(async () => (await vm())?.status?.phase === "Stopped" && (await isReady()), 5 * minute);
    const asked = host.asked("power").slice(1);
    expect(asked.map(({ request }) => request.op)).toEqual([PowerOp.SHUTDOWN_GRACEFUL, PowerOp.OFF]);
    expect(((asked[1]?.at ?? 0) - began) / second).toBeCloseTo(90, -1);
    expect((await it_.events(VirtualMachine)).join("\n")).toContain("Warning GracefulShutdownTimedOut");
  });

  it("S9 a description that flaps makes no second machine", async () => {
    const host = await ground();
    await make();
    await ready();
    const { id } = (await vm())?.status ?? {};
    host.script("describe", repeat(answer({ exists: false }), 2));
    await it_.until(async () => (await says()).includes("VMNotFound"), 5 * minute);
    await ready();
    expect((await vm())?.status?.id).toBe(id);
    expect(host.asked("create")).toHaveLength(1);
  });

  it("S9 two answers with an outage between them make no second machine, though they are minutes apart", async () => {
    const host = await ground();
    await make();
    await ready();
    const { id } = (await vm())?.status ?? {};
    const missing = answer({ exists: false });
    host.script("describe", missing, repeat(refuse("UNAVAILABLE"), 4), missing);
    host.script("listVMs", repeat(answer({ vms: [] }), 4));
    await it_.until(async () => (await says()).includes("VMNotFound"), 5 * minute);
    await it_.pass(30 * minute);
    expect(await isReady()).toBe(true);
    expect((await vm())?.status?.id).toBe(id);
    expect(host.asked("create")).toHaveLength(1);
  });

  it("S9 one that cannot be described and is still listed is not made again, however long that takes", async () => {
    const host = await ground();
    await make();
    await ready();
    const { id } = (await vm())?.status ?? {};
    host.script("describe", repeat(answer({ exists: false }), 20));
    const said = new Set<string>();
    for (let i = 0; i < 30; i += 1) {
      await it_.pass(minute);
      said.add(await says());
    }
    expect([...said].filter((it) => it.startsWith("False"))).toEqual([
      "False VMNotFound The provider says that the machine does not exist",
    ]);
    expect(await isReady()).toBe(true);
    expect(host.asked("create")).toHaveLength(1);
    expect(host.machines.map((it) => it.id)).toEqual([id]);
  });

  it("S10 really gone: it is made again", async () => {
    const host = await ground();
    await make();
    await ready();
    host.vanish((await vm())?.status?.id ?? "");
    await it_.until(async () => host.asked("create").length === 2, 6 * minute);
    await ready();
    expect(host.machines).toHaveLength(1);
    expect((await it_.events(VirtualMachine)).join("\n")).toContain("Normal VMRecreating");
  });

  it("S10 what was imported is not made again: a person decides", async () => {
    const host = await ground();
    const importedDisk = { diskID: "d1", path: "/imports/d1.qcow2", source: "manual" };
    await make("web", { imageRef: undefined, importedDisk });
    await ready();
    host.vanish((await vm())?.status?.id ?? "");
    await it_.until(async () => (await vm())?.status?.phase === "Failed", 6 * minute);
    expect(await says()).toContain("False VMNotFound");
    await it_.pass(10 * minute);
    expect(host.asked("create")).toHaveLength(1);
  });

  it("S11 a resize that needs a restart waits for the machine to be off", async () => {
    const status = { reportedCapabilities: { supportsReconfigureOnline: false } };
    const host = await ground({ status });
    await make();
    await ready();
    await it_.patch(VMClass, "small", { spec: { cpu: 4 } });
    await it_.pass(5 * second);
    expect(host.asked("reconfigure")).toHaveLength(0);
    expect(await says("Reconfiguring")).toContain("False RestartRequired");
    expect(await isReady()).toBe(true);
    await it_.patch(VirtualMachine, "web", { spec: { powerState: "Off" } });
    await it_.until(async () => (await vm())?.status?.currentResources?.cpu === 4, 2 * minute);
    const [resize, ...more] = host.asked("reconfigure");
    expect(more).toEqual([]);
    expect(JSON.parse(resize?.request.desiredJson ?? "").Class.CPU).toBe(4);
  });

  it("S12 deleted while the provider is down: it is not let go before the machine is", async () => {
    const host = await ground();
    await make();
    await ready();
    host.isUp = false;
    await it_.remove(VirtualMachine, "web");
    await it_.pass(10 * minute);
    expect(await says("Deleting")).toContain("True ProviderError");
    host.isUp = true;
    await it_.until(async () => (await vm()) === undefined, 5 * minute);
    expect(host.machines).toHaveLength(0);
    expect(host.asked("delete").filter(({ outcome }) => outcome === "OK")).toHaveLength(1);
  });

  it("S12 a provider that says yes to a deletion and does nothing is asked again: it says itself that it is gone", async () => {
    const host = await ground();
    await make();
    await ready();
    host.script("delete", repeat(answer({}), 2));
    await it_.remove(VirtualMachine, "web");
    expect(await says("Deleting")).toMatch(/^True TaskInProgress /);
    await it_.until(async () => (await vm()) === undefined, 5 * minute);
    expect(host.machines).toHaveLength(0);
  });

  it("S12 deleted when nobody had heard what became of its creation: what was made goes with it", async () => {
    const host = await ground({ profile: { sameName: "two" } });
    host.script("create", lose());
    await make();
    expect([host.machines.length, (await vm())?.status?.id]).toEqual([1, undefined]);
    await it_.remove(VirtualMachine, "web");
    await it_.until(async () => (await vm()) === undefined, 5 * minute);
    expect(host.machines).toHaveLength(0);
  });

  it("S12 deleted while the request may still have an effect: what comes of it within a minute goes with it", async () => {
    const host = await ground({ profile: { sameName: "two" } });
    host.script("create", refuse("UNAVAILABLE"));
    await make();
    await it_.remove(VirtualMachine, "web");
    await it_.pass(20 * second);
    expect(await says("Deleting")).toMatch(/^True Deleting Waiting to see what became of /);
    const { ask } = simulatedDial({ clock: it_.clock, find: () => host })({
      endpoint: "",
      serverName: "",
      connectTimeout: second,
    });
    const image = {
      imageJson: JSON.stringify({ Path: "/tiny" }),
      classJson: JSON.stringify({ CPU: 2, MemoryMiB: 64 }),
    };
    const late = ask("create", { name: "web", ...image }, { deadline: minute });
    await it_.pass(10 * second);
    await late;
    await it_.until(async () => (await vm()) === undefined, 5 * minute);
    expect(host.machines).toHaveLength(0);
  });

  it("S12 force-delete: it is gone at once, and a Warning says what was left", async () => {
    const host = await ground();
    await make();
    await ready();
    host.isUp = false;
    await it_.patch(VirtualMachine, "web", { metadata: { annotations: { "virtrigaud.io/force-delete": "true" } } });
    await it_.remove(VirtualMachine, "web");
    await it_.until(async () => (await vm()) === undefined, 2 * minute);
    expect((await it_.events(VirtualMachine)).join("\n")).toContain("Warning ForceDeleted");
  });

  it("S13 a task that the provider forgot is no failure", async () => {
    const host = await ground();
    host.script("create", slow(0, { is: "honest" }));
    await make();
    expect((await vm())?.status?.lastTaskRef).toBeDefined();
    host.restart();
    await ready();
    expect(host.asked("create")).toHaveLength(1);
  });

  it("S14 an adopted machine is never made, and is Ready once its id is there", async () => {
    const host = await ground();
    await make("web", { imageRef: undefined }, { labels: { "virtrigaud.io/adopted": "true" } });
    await it_.pass(10 * minute);
    expect(host.asked("create")).toHaveLength(0);
    expect(await says("Provisioning")).toBe(
      "True WaitingForDependencies Waiting for adoption/clone controller to set Status.ID",
    );
    await make("other");
    await ready(2 * minute, "other");
    await it_.status(VirtualMachine, "web", { id: "seeded" });
    host.script("describe", repeat(answer({ exists: true, powerState: "On", ips: ["10.0.0.7"] })));
    await ready();
  });

  it("S15 a Secret without a key that counts is waited for, and nothing of it is told", async () => {
    const host = await ground();
    const data = { foo: Buffer.from("canary-1").toString("base64") };
    await it_.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name: "init", namespace }, data });
    await make("web", { userData: { cloudInit: { secretRef: { name: "init" } } } });
    expect(await says()).toContain("False WaitingForDependencies");
    expect(await says()).toContain("userdata, user-data, cloud-init, cloud-config");
    expect(host.asked("create")).toHaveLength(0);
    const good = { userdata: Buffer.from("#cloud-config\ncanary-2").toString("base64") };
    await it_.client.patch(Secret, { name: "init", namespace }, { merge: { data: good } });
    await ready();
    expect(new TextDecoder().decode(host.asked("create")[0]?.request.userData)).toContain("canary-2");
    const told = JSON.stringify([await vm(), await it_.events(VirtualMachine), it_.complaints]);
    expect(told).not.toMatch(/canary/);
  });

  it("S16 it goes back to a snapshot once, and again when it is asked for anew", async () => {
    const host = await ground();
    await make();
    await ready();
    const snapshot = await host.handlers.snapshotCreate(
      {
        $typeName: "provider.v1.SnapshotCreateRequest",
        vmId: (await vm())?.status?.id ?? "",
        nameHint: "s1",
        includeMemory: false,
        description: "",
        quiesce: false,
      },
      { signal: new AbortController().signal },
    );
    await it_.pass(minute);
    await it_.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    await it_.status(VMSnapshot, "s1", {
      phase: "Ready",
      snapshotID: snapshot.snapshotId ?? "",
      creationTime: "2026-01-01T00:00:00Z",
    });
    const reverts = () => host.asked("snapshotRevert").length;
    await it_.patch(VirtualMachine, "web", { spec: { snapshot: { revertToRef: { name: "s1" } } } });
    await it_.until(async () => reverts() === 1 && (await isReady()), 2 * minute);
    await it_.patch(VirtualMachine, "web", { spec: { tags: ["x"] } });
    await it_.pass(5 * minute);
    expect(reverts()).toBe(1);
    await it_.patch(VirtualMachine, "web", { spec: { snapshot: null } });
    await it_.patch(VirtualMachine, "web", { spec: { snapshot: { revertToRef: { name: "s1" } } } });
    await it_.until(async () => reverts() === 2 && (await isReady()), 2 * minute);
  });

  it("S50 what a linked clone hangs on stays until the clone is gone, also where it was made from a snapshot", async () => {
    const host = await ground();
    await make();
    await make("copy");
    await ready();
    await ready(2 * minute, "copy");
    await it_.apply(VMSnapshot, "s1", { vmRef: { name: "web" } });
    const source = { snapshotRef: { name: "s1" } };
    await it_.apply(VMClone, "copy", { source, target: { name: "copy" }, options: { type: "LinkedClone" } });
    await it_.status(VMClone, "copy", { phase: "Ready", actualCloneType: "LinkedClone", targetRef: { name: "copy" } });
    await it_.remove(VirtualMachine, "web");
    await it_.pass(2 * minute);
    expect(await says("Deleting")).toBe("True InUse Linked clones hang on its disk: copy");
    await it_.remove(VirtualMachine, "copy");
    await it_.until(async () => (await vm()) === undefined, 5 * minute);
    expect(host.machines).toHaveLength(0);
  });

  it("paused from its first moment it is left alone and says so, and goes on when it may", async () => {
    const host = await ground();
    await make("web", {}, { annotations: { "virtrigaud.io/paused": "true" } });
    await it_.pass(5 * minute);
    expect(host.calls).toHaveLength(0);
    expect(await says()).toBe("Unknown Paused Paused");
    await it_.patch(VirtualMachine, "web", { metadata: { annotations: { "virtrigaud.io/paused": null } } });
    await ready();
  });

  it("a creation that the credentials do not allow waits a minute, and is asked for again", async () => {
    const host = await ground();
    host.script("create", refuse("UNAUTHENTICATED", "wrong password"), refuse("PERMISSION_DENIED", "not yours"));
    await make();
    for (const why of ["wrong password", "not yours"]) {
      expect(await says()).toBe(`False Unauthorized Failed to create VM: ${why}`);
      expect((await vm())?.status?.phase).toBe("Pending");
      await it_.pass(50 * second);
      expect(await says()).toContain(why);
      await it_.pass(15 * second);
    }
    await ready();
    const [first = 0, next = 0] = times(host, "create");
    expect(next - first).toBeGreaterThanOrEqual(minute);
    expect(host.machines).toHaveLength(1);
  });

  it("a snapshot that it cannot go back to is named, and the machine stays as it is", async () => {
    const host = await ground();
    await make();
    await ready();
    const back = (name: string) => it_.patch(VirtualMachine, "web", { spec: { snapshot: { revertToRef: { name } } } });
    await back("nightly");
    for (const type of ["Ready", "Reconfiguring"]) {
      expect(await says(type)).toBe("False RevertFailed VMSnapshot nightly not found");
    }
    expect((await vm())?.status?.phase).toBe("Running");
    await it_.apply(VMSnapshot, "others", { vmRef: { name: "db" } });
    await back("others");
    await it_.pass(second);
    expect(await says()).toBe("False RevertFailed VMSnapshot others is of another machine");
    await it_.patch(VirtualMachine, "web", { spec: { snapshot: null } });
    await ready();
    expect(host.asked("snapshotRevert")).toEqual([]);
  });

  it("a creation whose task fails is tried again where nothing is left of it", async () => {
    const host = await ground();
    host.script("create", fail("disk full"));
    await make();
    await ready(5 * minute);
    expect(host.machines).toHaveLength(1);
    expect(host.asked("create")).toHaveLength(2);
  });
});
