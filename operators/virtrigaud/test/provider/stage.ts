// A stage for Providers: their controller, a Secret with credentials, a simulated host behind the Service, and Deployments whose
// status is written by hand, as nobody runs pods here.
import { seededRandom } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Deployment, Secret } from "@telltale/kinds/builtin";
import { Provider } from "../../src/kinds/index.ts";
import { KnownSecrets } from "../../src/known-secrets.ts";
import { providers } from "../../src/provider/controller.ts";
import { type ProviderSettings, standardProviderSettings } from "../../src/provider/settings.ts";
import type { External } from "../../src/provider/wanted.ts";
import { type HostOptions, SimulatedHost } from "../../src/simulated/host.ts";
import { namespace, providerSpec, type StageOptions, stage, type Tools } from "../stage.ts";

export interface ProviderStageOptions extends Partial<StageOptions> {
  readonly settings?: Partial<ProviderSettings>;
  readonly external?: (endpoint: string) => Promise<External>;
  readonly host?: Partial<HostOptions>;
}

export const runtime = `virtrigaud-provider-${namespace}-box`;
export const endpoint = `${runtime}.${namespace}.svc.cluster.local:9443`;

export type ProviderStage = Awaited<ReturnType<typeof providerStage>>;

/** The controller of Providers, as the operator makes it. */
export const providerController = (tools: Tools, { settings, external }: ProviderStageOptions = {}) =>
  providers({
    ...tools,
    settings: { ...standardProviderSettings, ...settings },
    tls: new KnownSecrets(),
    external: { of: async (_uid, at) => (external === undefined ? { endpoint: at } : external(at)), forget() {} },
  });

export async function providerStage(options: ProviderStageOptions = {}) {
  const it = await stage({ controllers: (tools) => [providerController(tools, options)], ...options });
  const { clock } = it;
  const host = new SimulatedHost({ clock, random: seededRandom(3), staging: it.staging, ...options.host });
  it.listen(endpoint, host);
  const secret = (name: string, data: Record<string, string> = {}) =>
    it.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: data });

  return {
    ...it,
    host,
    secret,

    /** A Provider `box`, with its credentials. */
    async box(spec: Partial<Provider["spec"]> = {}, metadata: object = {}): Promise<void> {
      if ((await it.get(Secret, "box-creds")) === undefined) await secret("box-creds", { password: "canary-9xQ" });
      await it.apply(Provider, "box", { ...providerSpec, ...spec }, metadata);
      await it.pass(100);
    },

    /** What the Deployment says of its pods. */
    async pods(ready: number, conditions: readonly object[] = []): Promise<void> {
      const found = await it.get(Deployment, runtime);
      const observedGeneration = found?.metadata?.generation ?? 1;
      const counts = { replicas: 1, readyReplicas: ready, availableReplicas: ready, observedGeneration };
      await it.client.status.patch(
        Deployment,
        { name: runtime, namespace },
        { merge: { status: { ...counts, conditions } } },
      );
      await it.pass(100);
    },

    async deployment(): Promise<Deployment | undefined> {
      return it.get(Deployment, runtime);
    },

    async status(): Promise<NonNullable<Provider["status"]>> {
      return (await it.get(Provider, "box"))?.status ?? {};
    },

    async phase(): Promise<string | undefined> {
      return (await it.get(Provider, "box"))?.status?.runtime?.phase;
    },

    /** `True Reason message` of a condition of `box`. */
    says: (type = "Ready") => it.says(Provider, "box", type),

    /** So many probes later. Says how long it took, to a few seconds. */
    async probes(count: number): Promise<Ms> {
      const wanted = host.asked("validate").length + count;
      const began = clock.now();
      while (host.asked("validate").length < wanted) {
        if (clock.now() - began > 60_000 * count) throw new Error("it is not asked");
        await it.pass(4_000);
      }
      return clock.now() - began;
    },

    /** A Provider that runs and is well. */
    async running(spec: Partial<Provider["spec"]> = {}, metadata: object = {}): Promise<void> {
      await this.box(spec, metadata);
      await this.pods(1);
      await this.probes(1);
    },
  };
}
