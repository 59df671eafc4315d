// The same ground on a real kube-apiserver. Time runs faster for caches than on the wall, so that nobody waits for minutes.
import { type Client, createClient, findConnection, httpTransport, type Transport } from "@telltale/client";
import { type Clock, sleep, systemClock, systemRandom } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import type { ControlPlane } from "../../../../tools/envtest/envtest.ts";
import type { Ground } from "./ground.ts";

/** A minute of a cache is two seconds on the wall. */
const pace = 30;

const fast: Clock = {
  now: () => systemClock.now(),
  uptime: () => systemClock.uptime() * pace,
  after: (delay, call) => systemClock.after(delay / pace, call),
};

const patience: Ms = 20_000;

/** A server, and another one with lower versions: who is led from the one to the other sees a server that was put back. */
export async function realGround(plane: ControlPlane, past: ControlPlane): Promise<Ground> {
  const [now, before] = [await opener(plane), await opener(past)];
  let open = now;
  const ways = new Set<() => void>();

  function transport(): Transport {
    let under = open();
    const change = () => {
      under.close().catch(() => {});
      under = open();
    };
    ways.add(change);
    return {
      // What the old one says of its end is no matter.
      send: (request) => under.send(request),
      async close() {
        ways.delete(change);
        await under.close();
      },
    };
  }

  const random = systemRandom;
  const client = createClient({ transport: transport(), clock: systemClock, random });
  return {
    clock: fast,
    wall: systemClock,
    random,
    client,
    transport,
    pass: (by = 0) => sleep(systemClock, by / pace),
    async until(holds, what = "what the test waits for") {
      const began = systemClock.uptime();
      while (!(await holds())) {
        if (systemClock.uptime() - began > patience)
          throw new Error(`${what} did not come within ${patience / 1000} s`);
        await sleep(systemClock, 10);
      }
    },
    async back() {
      const earlier = createClient({ transport: before(), clock: systemClock, random });
      const least = (await versionOf(earlier)) + 200;
      await earlier.close();
      await grown(client, least);
      open = before;
      for (const change of ways) change();
    },
    end: () => client.close(),
  };
}

async function opener(plane: ControlPlane): Promise<() => Transport> {
  const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
  return () => httpTransport(connection);
}

const versionOf = async (client: Client): Promise<number> =>
  Number((await client.list(ConfigMap, { limit: 1 })).resourceVersion);

/** Writes until the server is so far. */
async function grown(client: Client, least: number): Promise<void> {
  const name = { name: "grown", namespace: "default" };
  for (let i = 0; (await versionOf(client)) < least; i += 1) {
    const writes = Array.from({ length: 50 }, (_, k) => ({ data: { [`k${k}`]: `${i} ${k}` } }));
    for (const merge of writes) {
      await client.patch(ConfigMap, name, { merge }).catch(() => client.create(ConfigMap, { metadata: name }));
    }
  }
}
