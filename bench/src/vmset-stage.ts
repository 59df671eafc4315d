// The operator of virtual machines in virtual time, with a simulated provider that is ready, and what it writes on one set.
import { startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport, type Request } from "@telltale/client";
import { type Clock, seededRandom, sleep, systemClock, turn, VirtualClock } from "@telltale/clock";
import { instant, type KindRef, type KubeObject, type Ms } from "@telltale/kinds";
import { type Controller, manager, type Sample } from "@telltale/runtime";
import {
  Provider,
  SimulatedHost,
  simulatedDial,
  standardConfig,
  VMClass,
  VMImage,
  VMSet,
  virtrigaudCrds,
  virtrigaudOperator,
} from "@telltale/virtrigaud";

export const namespace = "default";
const endpoint = "virtrigaud-provider-default-box.default.svc:9443";

/** A write on a set, when it came in virtual time, and how large it was. */
export interface Write {
  readonly at: Ms;
  readonly size: number;
}

export interface Stage {
  readonly client: Client;
  make(kind: KindRef, name: string, spec: object): Promise<void>;
  /** Until it is true, a second at a time. How long that took. */
  until(what: () => Promise<boolean>, limit: Ms): Promise<Ms>;
  /** Writes on sets since somebody last asked. */
  writes(): readonly Write[];
  /** From here on nothing works but the controller of sets, in real time. What it calls gets the times of its passes. */
  alone(what: (next: (change: () => Promise<unknown>) => Promise<Ms>) => Promise<void>): Promise<void>;
  end(): Promise<void>;
}

export async function vmSetStage(): Promise<Stage> {
  const clock = new VirtualClock();
  const objects = virtrigaudCrds() as readonly KubeObject[];
  const server = await startApiServer({ listen: false, clock, random: seededRandom(1), objects });
  const way = () => inProcessTransport(server.client);
  const client = createClient({ transport: way(), clock, random: seededRandom(2), fieldManager: "person" });
  let writes: Write[] = [];
  const inner = way();
  const transport = {
    send(request: Request) {
      const isOurs = request.method !== "GET" && request.path.includes("/vmsets/");
      if (isOurs) writes.push({ at: clock.now(), size: Buffer.byteLength(String(request.body ?? "")) });
      return inner.send(request);
    },
    close: () => inner.close(),
  };
  const random = seededRandom(3);
  const host = new SimulatedHost({ clock, random });
  const dial = simulatedDial({ clock, find: (to) => (to === endpoint ? host : undefined) });
  const lookup = async () => ["192.0.2.10"];
  // Without its controller, which would want pods: the Provider is put there ready.
  const all = virtrigaudOperator({ config: standardConfig, clock, random, dial, lookup });
  const controllers = all.filter(({ name }) => name !== "provider");
  const stop = new AbortController();
  const running = manager({ name: "virtrigaud", controllers, transport, clock, random, events: "none" }).run(
    stop.signal,
  );

  const pass = async (by: Ms) => {
    for (let i = 0; i < 6; i += 1) await turn();
    await clock.settle(by);
    await server.settle();
  };
  const make = async ({ apiVersion, kind, ...rest }: KindRef, name: string, spec: object) => {
    const object = { apiVersion, kind, metadata: { name, namespace }, spec };
    await client.create({ apiVersion, kind, ...rest } as KindRef<KubeObject>, object as KubeObject);
  };
  const over = async () => {
    stop.abort();
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    while (!isOver) await pass(1_000);
  };
  await pass(1_000);
  await make(Provider, "box", {
    type: "qemu",
    endpoint: "tcp://127.0.0.1:9443",
    credentialSecretRef: { name: "box" },
    runtime: { image: "example/qemu-provider:dev", service: { tls: { enabled: false } } },
  });
  const ready = { healthy: true, observedGeneration: 1, runtime: { phase: "Running", endpoint } };
  await client.status.patch(Provider, { name: "box", namespace }, { merge: { status: ready } });
  for (const size of ["small", "large"]) await make(VMClass, size, { cpu: size === "small" ? 1 : 2, memory: "512Mi" });
  for (const image of ["one", "two"]) await make(VMImage, image, { source: { libvirt: { path: `/${image}.qcow2` } } });
  return {
    client,
    make,
    async until(what, limit) {
      const began = clock.now();
      while (!(await what()) && clock.now() - began < limit) await pass(1_000);
      return clock.now() - began;
    },
    writes() {
      const all = writes;
      writes = [];
      return all;
    },
    async alone(what) {
      await over();
      const sets = controllers.filter(({ kind }) => kind.kind === VMSet.kind);
      await inRealTime(sets, way, clock, what);
    },
    async end() {
      await over();
      await server.stop();
    },
  };
}

/** Passes of one controller, one for each change. Its time goes on from where the other clock stands. */
async function inRealTime(
  controllers: readonly Controller[],
  way: () => ReturnType<typeof inProcessTransport>,
  from: Clock,
  what: Parameters<Stage["alone"]>[0],
): Promise<void> {
  const [began, since] = [from.now(), systemClock.uptime()];
  const clock: Clock = {
    now: () => instant(began + systemClock.uptime() - since),
    uptime: () => systemClock.uptime(),
    after: (delay, call) => systemClock.after(delay, call),
  };
  const took: Ms[] = [];
  let cpu = process.cpuUsage();
  // Of the processor's time, so that others on the machine do not count.
  const sink = (sample: Sample) => {
    if (sample.is === "dequeue") cpu = process.cpuUsage();
    if (sample.is !== "pass") return;
    const { user, system } = process.cpuUsage(cpu);
    took.push((user + system) / 1_000);
  };
  const stop = new AbortController();
  // Whatever waits for its second is not measured: passes come when something changes.
  const eager = controllers.map((it) => ({ ...it, spacing: 0 }));
  const random = seededRandom(4);
  const options = { name: "virtrigaud", controllers: eager, transport: way(), clock, random, thrift: false };
  const running = manager({ ...options, events: "none", sinks: [sink] }).run(stop.signal);
  const rest = async () => {
    for (let seen = -1; seen < took.length; ) {
      seen = took.length;
      await sleep(systemClock, 50);
    }
  };
  while (took.length === 0) await sleep(systemClock, 50);
  await rest();
  await what(async (change) => {
    took.length = 0;
    await change();
    while (took.length === 0) await sleep(systemClock, 5);
    await rest();
    return Math.max(...took);
  });
  stop.abort();
  await running;
}
