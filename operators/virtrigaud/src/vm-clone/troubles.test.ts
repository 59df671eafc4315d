import { Secret } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Home, home } from "../../test/home.ts";
import type { MachineOptions } from "../../test/machines.ts";
import { type ProviderOptions, type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMClass, VMClone } from "../kinds/index.ts";
import { KnownSecrets } from "../known-secrets.ts";
import { Reservations } from "../placement/reservations.ts";
import { fail, lose, refuse, repeat } from "../simulated/faults.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { vmClones } from "./controller.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;
let refused: ((line: string) => number | undefined) | undefined;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => [
      vmClones({ links, tls: new KnownSecrets(), places: new Reservations(), crossing: { isFree: false }, workers: 3 }),
    ],
    refuse: ({ method, path }) => refused?.(`${method} ${path.split("?")[0]}`),
  });
});
afterAll(() => s.end());

async function begin(provider: ProviderOptions = {}, more: MachineOptions = {}) {
  h = await home(s);
  host = await h.provider("box", provider);
  await h.apply(VMClass, "small", { cpu: 4, memory: "8Gi", firmware: "BIOS" });
  await h.machine(host, "web", more);
}

const minute = 60_000;
const clone = (spec: object = {}, name = "copy") =>
  h.apply(VMClone, name, { source: { vmRef: { name: "web" } }, target: { name: "web2" }, ...spec });
const read = async (name = "copy") => (await h.get(VMClone, name))?.status;
const phase = async (name = "copy") => (await read(name))?.phase;
const until = (wanted: string, limit = 120_000, name = "copy") =>
  s.until(async () => (await phase(name)) === wanted, limit);
const says = (type?: string, name = "copy") => h.says(VMClone, name, type);
const copies = () => host.machines.map(({ name }) => name).slice(1);
const slow = { spec: { type: "vsphere" as const }, durations: { clone: 40_000 } };

describe("what is changed in the guest", () => {
  const secret = async (name: string, data: Record<string, string>) => {
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, it]) => [key, Buffer.from(it).toString("base64")]),
    );
    await s.client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: h.namespace },
      data: encoded,
    });
    await s.pass();
  };

  it("is put together when it is sent, and kept nowhere; the guest has ten minutes to report it", async () => {
    await begin();
    const sysprep = { enabled: true, adminPassword: { secretRef: { name: "admin" } } };
    const customization = { hostname: "web2", networks: [{ name: "eth0", ipAddress: "10.0.0.9" }], sysprep };
    await clone({ customization, options: { powerOn: true } });
    expect(await says()).toBe("False Cloning Secret admin has no key password");
    await secret("admin", { password: "canary-4711" });
    await s.pass(30_000);
    await until("Customizing");
    expect(host.asked("clone")[0]?.request.customizeJson).toContain("canary-4711");
    expect((await read())?.customizationStatus).toMatchObject({ started: true, completed: false });
    await h.status(VirtualMachine, "web2", { phase: "Running", powerState: "On", ips: ["10.0.0.9"] });
    await until("Ready");
    expect((await read())?.customizationStatus?.completedSteps).toEqual(["hostname", "networks", "sysprep"]);
    expect(await says("Customizing")).toBe("False Completed The guest reports what was asked for");
    const written = s.writes().map(({ body }) => body);
    expect(written.join("") + (await h.events(VMClone)).join("") + h.complaints().join("")).not.toContain("canary");
  });

  it("a guest that reports nothing, a machine that is not switched on, and a provider that ignores it", async () => {
    await begin();
    const customization = { hostname: "web2" };
    await clone({ customization, options: { powerOn: true } });
    await until("Customizing");
    await s.pass(10 * minute);
    expect([await phase(), await says()]).toEqual([
      "Failed",
      "False CustomizationFailed the guest did not report what was asked for within 10m",
    ]);
    expect(await says("Customizing")).toMatch(/^False CustomizationFailed/);
    expect((await read())?.customizationStatus?.failedSteps).toEqual(["hostname"]);
    expect((await h.get(VirtualMachine, "web2"))?.status?.id).toBe("vm-2");
    await clone({ customization, target: { name: "web3" } }, "b");
    await until("Ready", 60_000, "b");
    expect((await read("b"))?.customizationStatus?.message).toBe("Sent with the copy: seen when it first starts");
    await begin({ like: "libvirt", spec: { type: "libvirt" } });
    await clone({ customization });
    await until("Ready");
    expect(await read()).toMatchObject({
      message: "Clone completed successfully; the provider ignores hostname",
      customizationStatus: { failedSteps: ["hostname"] },
    });
  });
});

describe("what goes wrong with a copy", () => {
  it("the first failure is the last, unless there is a policy", async () => {
    await begin();
    host.script("clone", fail("disk is full"));
    await clone();
    await until("Failed");
    expect(await says("Failed")).toBe("True ProviderError disk is full");
    expect(await says("Cloning")).toBe("False ProviderError disk is full");
    host.script("clone", refuse("RESOURCE_EXHAUSTED", "no space left"));
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(1_000);
    expect(await says("Ready", "b")).toBe("False InsufficientResources no space left");
    await s.pass(20 * minute);
    expect(host.asked("clone").length).toBe(2);
    // Another spec is another attempt.
    await clone({ metadata: { project: "again" } });
    await until("Ready");
    expect(copies()).toEqual(["web2"]);
  });

  it("with a policy it is tried again, later and later, and counted", async () => {
    await begin();
    host.script("clone", repeat(refuse("INTERNAL", "no luck"), 2), fail("nearly"));
    const began = s.clock.now();
    await clone({ options: { timeout: "4h", retryPolicy: { maxRetries: 3, retryDelay: "1m", backoffMultiplier: 3 } } });
    await s.pass(1_000);
    expect([await phase(), await says()]).toEqual([
      "Cloning",
      `False Retrying no luck; it is tried again at ${h.at(3_000 + minute)}`,
    ]);
    await until("Ready", 20 * minute);
    expect(host.asked("clone").map(({ at }) => Math.round((at - began) / minute))).toEqual([0, 1, 4, 13]);
    expect(await read()).toMatchObject({ retryCount: 3 });
    expect(copies()).toEqual(["web2"]);
    expect(await says("Failed")).toBe("False Completed Clone operation completed");
  });

  it("a policy that is used up, and a time that is over", async () => {
    await begin();
    host.script("clone", repeat(refuse("INTERNAL", "no luck")));
    await clone({ options: { retryPolicy: { maxRetries: 1, retryDelay: "1m" } } });
    await until("Failed", 10 * minute);
    expect(host.asked("clone").length).toBe(2);
    await clone({ target: { name: "web3" }, options: { timeout: "3m", retryPolicy: { retryDelay: "10m" } } }, "b");
    await until("Failed", 4 * minute, "b");
    expect(await says("Ready", "b")).toBe("False Timeout it took longer than 3m");
  });

  it("an answer that is lost: the copy is found by its name, and not made twice", async () => {
    await begin({ like: "libvirt" });
    host.script("clone", lose());
    await clone();
    await until("Ready");
    expect(host.asked("clone").length).toBe(1);
    expect(copies()).toEqual(["web2"]);
    host.script("clone", refuse("UNAVAILABLE", "connection reset"));
    await clone({ target: { name: "web3" } }, "b");
    await until("Failed", 10 * minute, "b");
    expect(await says("Ready", "b")).toBe("False ProviderError connection reset");
    expect(host.asked("clone").length).toBe(2);
  });

  it("a provider that is away while it copies, or forgets its tasks", async () => {
    await begin(slow);
    await clone();
    await s.pass(10_000);
    host.isUp = false;
    await s.pass(60_000);
    expect([await phase(), (await says()).split(" ")[1]]).toEqual(["Cloning", "ProviderUnreachable"]);
    expect(await says("Cloning")).toMatch(/^Unknown ProviderUnreachable/);
    host.isUp = true;
    await until("Ready");
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(10_000);
    host.restart("goes on");
    await until("Ready", 60_000, "b");
    await s.pass(60_000);
    await clone({ target: { name: "web4" } }, "c");
    await s.pass(10_000);
    host.restart("is lost");
    await until("Ready", 8 * minute, "c");
    expect(copies()).toEqual(["web2", "web3", "web4"]);
    expect(host.asked("clone").length).toBe(4);
  });

  it("a process that dies at any second: one machine and one object in the end", async () => {
    for (const like of ["complete", "libvirt"] as const) {
      await begin({ like, durations: { clone: 3_000 } });
      for (const i of [0, 1, 3]) {
        await clone({ target: { name: `n${i}` } }, `c${i}`);
        await s.pass(i * 1_000);
        await s.restart();
        await until("Ready", 8 * minute, `c${i}`);
        expect((await h.get(VirtualMachine, `n${i}`))?.status?.id).toBe((await read(`c${i}`))?.targetVMID);
      }
      expect(copies()).toEqual(["n0", "n1", "n3"]);
    }
  });

  it("conflicts at every second write: one copy, and nothing lost", async () => {
    await begin(slow);
    let count = 0;
    refused = (line) => (line.startsWith("PATCH") && ++count % 2 === 0 ? 409 : undefined);
    await clone();
    await until("Ready", 5 * minute);
    refused = undefined;
    expect(copies()).toEqual(["web2"]);
    expect(host.asked("clone").length).toBe(1);
  });
});

describe("the end of a clone", () => {
  it("leaves the copy, and removes one that nobody has bound where that is asked for", async () => {
    await begin(slow);
    await clone();
    await until("Ready");
    await h.remove(VMClone, "copy");
    expect(await read()).toBeUndefined();
    expect(copies()).toEqual(["web2"]);
    await clone({ target: { name: "web3" } }, "b");
    await s.pass(5_000);
    await h.remove(VMClone, "b");
    expect((await read("b"))?.message).toBe("Waiting until the provider is through");
    await s.until(async () => (await read("b")) === undefined, 150_000);
    expect(copies()).toEqual(["web2", "web3"]);
    await clone({ target: { name: "web4" } }, "c");
    await h.patch(VMClone, "c", { metadata: { annotations: { "virtrigaud.io/clone-cleanup": "true" } } });
    await s.pass(5_000);
    await h.remove(VMClone, "c");
    await s.until(async () => (await read("c")) === undefined, 150_000);
    expect(copies()).toEqual(["web2", "web3"]);
    expect(host.asked("delete").length).toBe(1);
  });

  it("with cleanup: a copy that another object has meanwhile, or is about to get, is not half a copy", async () => {
    await begin(slow);
    const cleaned = { metadata: { annotations: { "virtrigaud.io/clone-cleanup": "true" } } };
    const refs = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
    const idOf = (copy: string) => host.machines.find(({ name }) => name === copy)?.id ?? "";
    const deleted = async (name: string, copy: string, prepare: () => Promise<unknown>) => {
      await clone({ target: { name: copy } }, name);
      await h.patch(VMClone, name, cleaned);
      await s.until(async () => (await read(name))?.taskRef !== undefined, 20_000);
      await prepare();
      await h.remove(VMClone, name);
      await s.until(async () => (await read(name)) === undefined, 300_000);
    };
    await deleted("a", "web5", async () => {
      await h.apply(VirtualMachine, "adopted", refs);
      await h.status(VirtualMachine, "adopted", { id: idOf("web5") });
    });
    // Its own object, which has no status yet.
    await deleted("b", "web6", () =>
      h.apply(VirtualMachine, "web6", refs, { annotations: { "virtrigaud.io/provider-id": idOf("web6") } }),
    );
    expect(copies()).toEqual(["web5", "web6"]);
    expect(host.asked("delete")).toEqual([]);
  });
});
