// The same world on a real kube-apiserver, in real time.
import { findConnection, httpTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom, uuid } from "@telltale/clock";
import { Namespace } from "@telltale/kinds/builtin";
import type { ControlPlane } from "../../../tools/envtest/envtest.ts";
import { type World, worldOver } from "./world.ts";

export async function realWorld(plane: ControlPlane): Promise<World> {
  const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
  const namespace = `w-${uuid(systemRandom).slice(0, 8)}`;
  const pass = (by = 0) => sleep(systemClock, by);
  const it = worldOver({
    namespace,
    clock: systemClock,
    random: () => systemRandom,
    transport: () => httpTransport(connection),
    pass,
    async until(holds, what = "what the test waits for") {
      const began = systemClock.uptime();
      while (!(await holds())) {
        if (systemClock.uptime() - began > 20_000) throw new Error(`${what} did not come within 20 s`);
        await pass(20);
      }
    },
  });
  await it.client.create(Namespace, { metadata: { name: namespace } });
  return {
    ...it,
    async end() {
      await it.end();
      await it.client.close();
    },
  };
}
