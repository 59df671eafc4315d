// Where the web API of a test's master is, in each of the ways to reach it. Nothing is contacted here.
import { isIP } from "node:net";
import { type Instant, instant, parseTime } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { nodeName } from "../build/names.ts";
import type { Telemetry } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { LocustOptions } from "./options.ts";

/** How the master is reached at present. */
export type Reach =
  | Target
  | { readonly at: "waiting" } // no master pod runs yet
  | { readonly at: "ended" } // it ran, and has ended
  | { readonly at: "nowhere"; readonly reason: "Disabled" | "WebUIDisabled" | "MasterUnreachable" }; // and never will be

export type Target =
  | { readonly at: "address"; readonly url: string; readonly master: Master }
  | { readonly at: "proxy"; readonly path: string; readonly master: Master }; // of the API server

/** One process of the master: numbers of another one begin anew. */
export interface Master {
  readonly uid: string;
  readonly created: Instant;
}

/** Local runs put another one in its place. */
export type Resolver = typeof targetOf;

export function targetOf(test: LocustTest, pod: Pod | undefined, options: LocustOptions, config: Telemetry): Reach {
  if (config.mode === "off") return { at: "nowhere", reason: "Disabled" };
  if (options.headless) return { at: "nowhere", reason: "WebUIDisabled" };
  if (isLoopback(options.webHost)) return { at: "nowhere", reason: "MasterUnreachable" };
  const { phase, podIP } = pod?.status ?? {};
  if (phase === "Succeeded" || phase === "Failed" || phase === "Unknown") return { at: "ended" };
  if (pod === undefined || phase !== "Running" || podIP === undefined || isIP(podIP) === 0) return { at: "waiting" };
  const master = masterOf(pod);
  const { name = "", namespace = "" } = test.metadata;
  const scheme = options.tls ? "https" : "http";
  const path = `${options.basePath}/stats/requests`;
  if (config.mode === "api-proxy") {
    const port = `${scheme}:${pod.metadata?.name ?? ""}:${options.webPort}`;
    return { at: "proxy", path: `/api/v1/namespaces/${namespace}/pods/${port}/proxy${path}`, master };
  }
  const host = config.mode === "service" ? `${nodeName(name, "master")}.${namespace}.svc` : hostOf(podIP);
  return { at: "address", url: `${scheme}://${host}:${options.webPort}${path}`, master };
}

const masterOf = ({ metadata }: Pod): Master => ({
  uid: metadata?.uid ?? "",
  created: parseTime(metadata?.creationTimestamp) ?? instant(0),
});

const hostOf = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

/** From outside the pod nobody reaches these. */
const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d+){1,3}|\[?::1\]?|\[?::ffff:127(\.\d+){3}\]?)$/i.test(host);
