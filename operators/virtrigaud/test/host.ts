// One simulated host in virtual time, and a way to ask it.
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Method, Request } from "../src/contract/contract.ts";
import { PowerOp } from "../src/contract/contract.ts";
import { RpcError } from "../src/contract/rpc-error.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { type HostOptions, SimulatedHost } from "../src/simulated/host.ts";

export const image = JSON.stringify({ TemplateName: "100" });

export function host(more: Partial<HostOptions> = {}) {
  const clock = new VirtualClock();
  const it = new SimulatedHost({ clock, random: seededRandom(1), ...more });
  const raw = simulatedDial({ clock, find: () => it })({ endpoint: "x", serverName: "", connectTimeout: 1 }).ask;
  const options = { deadline: 60_000 };
  /** Time passes until the answer is there. */
  const ask = async <M extends Method>(method: M, request: Request<M>) => {
    const reply = raw(method, request, options);
    reply.catch(() => {});
    await clock.settle(20_000);
    return reply;
  };
  const code = (call: Promise<unknown>) =>
    call.then(
      () => "OK",
      (error: unknown) => (error instanceof RpcError ? `${error.code}: ${error.message}` : String(error)),
    );
  const create = (name: string, request: object = {}) => ask("create", { name, imageJson: image, ...request });
  const on = async (id: string) => ask("power", { id, op: PowerOp.ON });
  return { clock, it, ask, raw, create, on, code };
}
