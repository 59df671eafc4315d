// Links to one simulated host in virtual time, without a server or controllers.
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Provider } from "../src/kinds/index.ts";
import type { CallSample } from "../src/link/calls.ts";
import { Links } from "../src/link/links.ts";
import { ProviderError } from "../src/link/provider-error.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { SimulatedHost } from "../src/simulated/host.ts";
import type { Target } from "../src/wire/wire.ts";
import { provider as plain } from "./objects.ts";

const most = { rateLimit: { qps: 1000, burst: 2000 } };

export function box(more: Partial<Provider["spec"]> = {}, endpoint = "box:9443"): Provider {
  const it = plain("qemu");
  const runtime = { image: "i", service: { tls: { enabled: false } } };
  const spec = { ...it.spec, ...most, runtime, ...more };
  return { ...it, spec, status: { runtime: { phase: "Running", endpoint } } };
}

export function setting() {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, random: seededRandom(1) });
  const dialled: Target[] = [];
  const samples: CallSample[] = [];
  const find = (endpoint: string) => (endpoint.endsWith(":9443") ? host : undefined);
  const dial = simulatedDial({ clock, find, onDial: (target) => dialled.push(target) });
  const links = new Links({ dial, clock, onCall: (sample) => samples.push(sample) });
  const ask = (id = "vm-1") => links.of(box()).ask("describe", { id }, { deadline: 30_000 });
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => "OK",
      (error: unknown) => (error instanceof ProviderError ? `${error.code} ${error.said}` : String(error)),
    );
  return { clock, host, links, dialled, samples, ask, failure };
}
