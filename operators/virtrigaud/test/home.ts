// A namespace of a stage, for one test of many: a stage takes as long to build as all that a test does on it.
import { formatTime, type KindRef, type KubeObject, type Ms, plus } from "@telltale/kinds";
import { CoreEvent, Namespace } from "@telltale/kinds/builtin";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { type MachineOptions, machine } from "./machines.ts";
import type { ProviderOptions, Stage } from "./stage.ts";

let count = 0;

export type Home = Awaited<ReturnType<typeof home>>;

export async function home(s: Stage) {
  count += 1;
  const namespace = `home-${count}`;
  await s.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await s.pass(1_000);
  const began = s.clock.now();
  const complaints = s.complaints.length;
  s.writes();
  return {
    namespace,
    /** The time so long after the beginning, as status has it. */
    at: (after: Ms): string => formatTime(plus(began, after)),
    complaints: () => s.complaints.slice(complaints),
    provider: (name: string, more: ProviderOptions = {}): Promise<SimulatedHost> =>
      s.provider(name, { ...more, namespace }),
    machine: (host: SimulatedHost, name: string, more: MachineOptions = {}): Promise<string> =>
      machine(s, host, name, { ...more, namespace }),
    apply: <T extends KubeObject>(kind: KindRef<T>, name: string, spec: object, metadata?: object) =>
      s.apply(kind, name, spec, metadata, namespace),
    patch: <T extends KubeObject>(kind: KindRef<T>, name: string, merge: object) =>
      s.patch(kind, name, merge, namespace),
    status: <T extends KubeObject>(kind: KindRef<T>, name: string, status: object) =>
      s.status(kind, name, status, namespace),
    remove: <T extends KubeObject>(kind: KindRef<T>, name: string) => s.remove(kind, name, namespace),
    get: <T extends KubeObject>(kind: KindRef<T>, name: string) => s.get(kind, name, namespace),
    says: <T extends KubeObject>(kind: KindRef<T>, name: string, type?: string) => s.says(kind, name, type, namespace),
    /** `Normal Created message`, sorted. */
    async events(about: KindRef): Promise<readonly string[]> {
      const { items } = await s.client.list(CoreEvent, { namespace });
      return items
        .filter(({ involvedObject }) => involvedObject.kind === about.kind)
        .map(({ type = "", reason = "", message = "" }) => `${type} ${reason} ${message}`)
        .sort();
    },
  };
}
