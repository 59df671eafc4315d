// Addresses and ports of Services, kept in memory: 10.0.0.0/24 without its first address, and node ports 30000 to 32767.
import { type Json, type JsonObject, text } from "../json.ts";
import { each, given, list, number } from "./edit.ts";
import type { Allocator } from "./strategy.ts";

const firstPort = 30_000;
const lastPort = 32_767;
/** 10.0.0.1 is the Service `kubernetes`; upstream hands out the lower part of a small range last. */
const lowerPart = 16;

export interface ServiceAllocator extends Allocator {
  /** Forgets everything but what these Services hold. */
  reset(services: Iterable<JsonObject>): void;
}

/** An allocator that already knows what these Services hold. */
export function serviceAllocator(services: Iterable<JsonObject> = []): ServiceAllocator {
  const hosts = new Set<number>();
  const ports = new Set<number>();
  let last = lowerPart; // an address that was just given back is not given out at once
  const reset = (held: Iterable<JsonObject>) => {
    hosts.clear();
    ports.clear();
    last = lowerPart;
    for (const service of held) {
      for (const ip of addressesOf(service)) {
        const host = hostOf(ip);
        if (host !== undefined) hosts.add(host);
      }
      for (const port of portsOf(service)) ports.add(port);
    }
  };
  reset(services);

  return {
    reset,
    allocateClusterIP(wanted) {
      if (wanted !== undefined) {
        const host = hostOf(wanted);
        if (host === undefined || host === 0 || host === 255)
          return { refused: `failed to allocate IP ${wanted}: the provided network does not match the current range` };
        if (hosts.has(host)) return { refused: `failed to allocate IP ${wanted}: provided IP is already allocated` };
        hosts.add(host);
        return { ip: wanted };
      }
      const free =
        firstFree(hosts, last + 1, 254) ?? firstFree(hosts, lowerPart + 1, 254) ?? firstFree(hosts, 2, lowerPart);
      if (free === undefined) return { refused: "failed to allocate a serviceIP: range is full" };
      hosts.add(free);
      last = free;
      return { ip: `10.0.0.${free}` };
    },
    releaseClusterIP(ip) {
      const host = hostOf(ip);
      if (host !== undefined) hosts.delete(host);
    },
    allocateNodePort(wanted) {
      if (wanted !== undefined) {
        if (wanted < firstPort || wanted > lastPort)
          return {
            refused: `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`,
          };
        if (ports.has(wanted)) return { refused: "provided port is already allocated" };
        ports.add(wanted);
        return { port: wanted };
      }
      const free = firstFree(ports, firstPort, lastPort);
      if (free === undefined) return { refused: "failed to allocate a nodePort: range is full" };
      ports.add(free);
      return { port: free };
    },
    releaseNodePort(port) {
      ports.delete(port);
    },
  };
}

/** The addresses that a Service holds; `None` is none. */
export function addressesOf(service: JsonObject): string[] {
  const spec = given(service, "spec");
  const all: Json[] = [...list(spec, "clusterIPs"), spec?.["clusterIP"] ?? ""];
  return [...new Set(all.map((ip) => text(ip)))].filter((ip) => ip !== "" && ip !== "None");
}

/** The node ports that a Service holds. */
export function portsOf(service: JsonObject): number[] {
  const spec = given(service, "spec");
  const ports = each(spec, "ports").map((port) => number(port, "nodePort") ?? 0);
  return [...new Set([...ports, number(spec, "healthCheckNodePort") ?? 0])].filter((port) => port !== 0);
}

function hostOf(ip: string): number | undefined {
  const match = /^10\.0\.0\.(\d{1,3})$/.exec(ip);
  const host = Number(match?.[1] ?? "256");
  return host <= 255 ? host : undefined;
}

function firstFree(taken: ReadonlySet<number>, from: number, to: number): number | undefined {
  for (let candidate = from; candidate <= to; candidate += 1) if (!taken.has(candidate)) return candidate;
  return undefined;
}
