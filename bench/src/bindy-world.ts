// Fifty small DNS clusters with zones and records on a server that listens, with simulated pods: for an operator in another process.

import { startApiServer } from "@telltale/apiserver";
import { ARecord, Bind9Cluster, bindyKinds, DNSZone } from "@telltale/bindy";
import { createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { type KindRef, type KubeObject, toCrd } from "@telltale/kinds";
import { simulatedRuntime, workloads } from "@telltale/workloads";

const clusters = 50;
const zonesOfEach = 4;
const recordsOfEach = 25;
const namespace = "dns-system";

export interface World {
  readonly kubeconfig: string;
  readonly instances: number;
  readonly zones: number;
  readonly records: number;
  end(): Promise<void>;
}

export async function bindyWorld(): Promise<World> {
  const named = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const objects = [...bindyKinds.map((kind) => toCrd(kind)), named(namespace), named("bindy-system")];
  const server = await startApiServer({ objects });
  const transport = inProcessTransport(server.client);
  const stop = new AbortController();
  const running = workloads({ transport, runtime: simulatedRuntime() }).run(stop.signal);
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  const make = (kind: KindRef, name: string, spec: object, labels: Readonly<Record<string, string>> = {}) => {
    const { apiVersion } = kind;
    const object = { apiVersion, kind: kind.kind, metadata: { name, namespace, labels }, spec };
    return client.create(kind as KindRef<KubeObject>, object as KubeObject);
  };
  for (let c = 0; c < clusters; c += 1) {
    await make(Bind9Cluster, `dns-${letters(c)}`, { primary: { replicas: 1 }, secondary: { replicas: 1 } });
    for (let z = 0; z < zonesOfEach; z += 1) {
      const zone = `z${c}-${z}`;
      await make(DNSZone, zone, {
        ...zoneSpec(`${zone}.example`, `dns-${letters(c)}`),
        recordsFrom: [{ selector: { matchLabels: { zone } } }],
      });
      for (let r = 0; r < recordsOfEach; r += 1)
        await make(ARecord, `${zone}-${r}`, { name: `host-${r}`, ipv4Addresses: [`192.0.2.${r + 1}`] }, { zone });
    }
  }
  return {
    kubeconfig: server.kubeconfig(),
    instances: clusters * 2,
    zones: clusters * zonesOfEach,
    records: clusters * zonesOfEach * recordsOfEach,
    async end() {
      stop.abort();
      await running;
      await server.stop();
    },
  };
}

const letters = (n: number): string => String(n).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");

export const zoneSpec = (zoneName: string, clusterRef: string) => ({
  zoneName,
  clusterRef,
  soaRecord: {
    primaryNs: `ns1.${zoneName}.`,
    adminEmail: `admin.${zoneName}.`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 604_800,
    negativeTtl: 300,
  },
  nameServers: [{ hostname: `ns1.${zoneName}.`, ipv4Address: "192.0.2.1" }],
});
