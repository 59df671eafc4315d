// Says on each pod of a nameserver where it is reached (4.3): without a network of pods an address is not enough.
import type { Client } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import { annotations, containers, selectorLabels } from "../names.ts";

export interface EndpointOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The annotation in which the runtime says where each port of a pod is. */
  readonly ports?: string;
  readonly every?: Ms;
}

/** Until the signal. What cannot be written now is tried again. */
export async function annotateEndpoints(options: EndpointOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, ports = "telltale.dev/ports", every = 250 } = options;
  const labelSelector = `app=${selectorLabels("any")["app"]}`;
  while (!signal.aborted) {
    const { items } = await client.list(Pod, { labelSelector }).catch(() => ({ items: [] }));
    for (const pod of items) {
      const { name = "", namespace = "" } = pod.metadata ?? {};
      const wanted = endpointsOf(pod, ports);
      if (wanted === undefined) continue;
      await client
        .patch(Pod, { name, namespace }, { merge: { metadata: { annotations: wanted } } })
        .catch(() => undefined);
    }
    await sleep(clock, every, signal).catch(() => undefined);
  }
}

/** Pure: what is still to be said of a pod, or undefined where nothing is. */
export function endpointsOf(pod: Pod, ports: string): Readonly<Record<string, string>> | undefined {
  const { metadata, spec } = pod;
  const places = placesIn(metadata?.annotations?.[ports] ?? "");
  const api = spec?.containers.find(({ name }) => name === containers.api);
  const http = places[String(api?.ports?.find(({ name }) => name === "http")?.containerPort ?? 8080)];
  const dns = places["5353"];
  if (http === undefined || dns === undefined) return undefined;
  const wanted = { [annotations.endpointHttp]: http, [annotations.endpointDns]: dns };
  const isSaid = Object.entries(wanted).every(([key, value]) => metadata?.annotations?.[key] === value);
  return isSaid ? undefined : wanted;
}

/** `{"5353": "127.0.0.1:40001"}`. */
function placesIn(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, string>>) : {};
  } catch {
    return {};
  }
}
