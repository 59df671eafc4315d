// The hooks of a machine's life, each of them where its spec puts it: before it is switched off, and when it has been switched on.
import { afterEach, describe, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { answer } from "../src/simulated/faults.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import type { HttpGet } from "../src/virtual-machine/hooks.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { type ProviderOptions, type Stage, stage } from "./stage.ts";

let here: Stage;
afterEach(() => here.end());

const minute = 60_000;
const base = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };

async function open(lifecycle: object, how: ProviderOptions = {}, status = 200) {
  const requests: { readonly url: string; readonly timeout: number }[] = [];
  const httpGet: HttpGet = async (url, { timeout }) => {
    requests.push({ url, timeout });
    return status;
  };
  here = await stage({
    controllers: ({ links, random }) => [
      virtualMachines({
        senses: {
          links,
          random,
          httpGet,
          crossing: { isFree: false },
          streaks: new Streaks(),
          tls: new KnownSecrets(),
          places: new Reservations(),
        },
        workers: 1,
      }),
    ],
  });
  await here.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  await here.apply(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
  const host = await here.provider("box", how);
  const turn = async (powerState: "On" | "Off") => {
    await here.apply(VirtualMachine, "web", { ...base, powerState, lifecycle });
    const phase = powerState === "On" ? "Running" : "Stopped";
    const isThere = async () => {
      const { status: it } = (await here.get(VirtualMachine, "web")) ?? {};
      return it?.phase === phase && (powerState === "Off" || (it.ips ?? []).length > 0);
    };
    await here.until(isThere, 5 * minute);
  };
  const events = async () => (await here.events(VirtualMachine)).filter((it) => it.includes("Hook"));
  return { host, turn, requests, events };
}

describe("a request", () => {
  it("goes to the host, path and port that are given, with the time of the shutdown for the answer", async () => {
    const httpGet = { host: "192.0.2.7", path: "/up?now", port: 8443, scheme: "HTTPS" };
    const { turn, requests, events } = await open({ postStart: { httpGet }, gracefulShutdownTimeout: "7s" });
    await turn("On");
    await here.pass(10 * minute);
    expect(requests).toEqual([{ url: "https://192.0.2.7:8443/up?now", timeout: 7_000 }]);
    await turn("Off");
    expect(requests).toHaveLength(1);
    await turn("On");
    expect(requests).toHaveLength(2);
    expect(await events()).toEqual([]);
  });

  it("goes to the machine's first address where no host is given", async () => {
    const { turn, requests } = await open({ preStop: { httpGet: { port: 8080 } } });
    await turn("On");
    const [ip] = (await here.get(VirtualMachine, "web"))?.status?.ips ?? [];
    await turn("Off");
    expect(requests).toEqual([{ url: `http://${ip}:8080/`, timeout: 60_000 }]);
  });

  it("that fails is told of, and stops nothing", async () => {
    const { turn, events } = await open({ preStop: { httpGet: { port: 8080 } } }, {}, 503);
    await turn("On");
    await turn("Off");
    expect(await events()).toEqual(["Warning HookFailed preStop: the answer was 503"]);
  });
});

describe.each(["postStart", "preStop"])("%s", (at) => {
  it("a snapshot is taken as it is described", async () => {
    const snapshot = { name: "kept", description: "as it was", includeMemory: true };
    const { turn } = await open({ [at]: { snapshot } });
    await turn("On");
    await turn("Off");
    const { items } = await here.client.list(VMSnapshot, {});
    expect(items.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({
        vmRef: { name: "web" },
        snapshotConfig: expect.objectContaining({ description: "as it was", includeMemory: true }),
      }),
    ]);
    expect(items[0]?.metadata?.name).toMatch(/^web-kept-\d+$/);
  });

  const lifecycle = { [at]: { exec: { command: ["/bin/sync", "-f"] } }, gracefulShutdownTimeout: "1500ms" };

  it("a command runs in the guest, and one that fails is told of", async () => {
    const { host, turn, events } = await open(lifecycle);
    host.script("guestExec", answer({ exitCode: 3 }));
    await turn("On");
    await turn("Off");
    const asked = host.asked("guestExec").map(({ request }) => [request.command, request.timeoutSeconds]);
    expect(asked).toEqual([[["/bin/sync", "-f"], 2]]);
    expect(await events()).toEqual([`Warning HookFailed ${at}: the command ended with 3`]);
  });

  it("that a provider runs no commands is told, and none is sent", async () => {
    const { host, turn, events } = await open(lifecycle, { profile: { capabilities: { extensions: [] } } });
    await turn("On");
    await turn("Off");
    expect(host.asked("guestExec")).toEqual([]);
    expect(await events()).toEqual([`Warning HookUnsupported ${at}: the provider runs no commands in guests`]);
  });
});
