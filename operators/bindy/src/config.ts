// How the operator is set up: every environment variable of its own, read once at the start (appendix C).
import type { Ms } from "@telltale/kinds";
import { type Env, type Rate, type Replicas, Settings } from "@telltale/runtime";
import { leaseName, operatorNamespace } from "./names.ts";

export interface Config {
  /** Where the operator itself runs: its account there is the one that Bindcar trusts. */
  readonly operatorNamespace: string;
  /** The namespaces that are watched; absent: all. */
  readonly namespaces?: readonly string[];
  /** Whether a pod stays out of service until it has every zone. */
  readonly zoneReadinessGate: boolean;
  /** Where images may come from: `registry.example.com/dns`. Empty: anywhere. */
  readonly imageRegistries: readonly string[];
  readonly process: ProcessConfig;
}

/** What belongs to the process and not to the work. */
export interface ProcessConfig {
  readonly replicas: Replicas;
  /** Requests to the API server. */
  readonly rate: Rate;
}

/** The configuration that these variables name, or everything that is wrong with them. */
export function configFrom(env: Env): { readonly config: Config } | { readonly errors: readonly string[] } {
  const settings = new Settings(env);
  const config = read(settings);
  return settings.result("bindy", config);
}

function read(settings: Settings): Config {
  const own = namespaceIn(settings, "POD_NAMESPACE") ?? operatorNamespace;
  const namespaces = settings.namespaces("BINDY_WATCH_NAMESPACES");
  return {
    operatorNamespace: own,
    ...(namespaces !== undefined && { namespaces }),
    zoneReadinessGate: settings.flag("BINDY_ZONE_READINESS_GATE", true),
    imageRegistries: registriesIn(settings),
    process: {
      replicas: replicasIn(settings, own),
      rate: {
        perSecond: settings.integer("BINDY_KUBE_QPS", 20, { least: 1, most: 10_000 }),
        burst: settings.integer("BINDY_KUBE_BURST", 30, { least: 1, most: 10_000 }),
      },
    },
  };
}

function replicasIn(settings: Settings, own: string): Replicas {
  const times = timesIn(settings);
  const lease = settings.subdomain("BINDY_LEASE_NAME") ?? leaseName;
  const namespace = namespaceIn(settings, "BINDY_LEASE_NAMESPACE") ?? own;
  const identity = settings.text("POD_NAME") ?? settings.text("HOSTNAME");
  if (!settings.flag("BINDY_ENABLE_LEADER_ELECTION", true)) return { as: "one" };
  return { as: "lease", namespace, lease, ...times, ...(identity !== undefined && { identity }) };
}

const names = {
  duration: "BINDY_LEASE_DURATION_SECONDS",
  renew: "BINDY_LEASE_RENEW_DEADLINE_SECONDS",
  retry: "BINDY_LEASE_RETRY_PERIOD_SECONDS",
} as const;

/** A leader that cannot renew stops before anybody else may begin, and tries more than once until then. */
function timesIn(settings: Settings): { readonly duration: Ms; readonly renewDeadline: Ms; readonly retry: Ms } {
  const seconds = (name: string, standard: number) => settings.integer(name, standard, { least: 1, most: 3600 });
  const duration = seconds(names.duration, 15);
  const renew = seconds(names.renew, 10);
  const retry = seconds(names.retry, 2);
  if (renew >= duration) {
    settings.refuse(names.renew, String(renew), `is not less than ${names.duration} ${duration}`, "lower it");
  }
  if (2 * retry >= renew) {
    settings.refuse(names.retry, String(retry), `is not less than half of ${names.renew} ${renew}`, "lower it");
  }
  return { duration: duration * 1000, renewDeadline: renew * 1000, retry: retry * 1000 };
}

function namespaceIn(settings: Settings, name: string): string | undefined {
  const [first, ...more] = settings.namespaces(name) ?? [];
  if (more.length > 0) settings.refuse(name, settings.text(name) ?? "", "is more than one", "name one namespace");
  return first;
}

const registry = /^[A-Za-z0-9]([A-Za-z0-9._:/-]*[A-Za-z0-9])?$/;

function registriesIn(settings: Settings): readonly string[] {
  const name = "BINDY_IMAGE_REGISTRIES";
  const text = settings.text(name);
  if (text === undefined) return [];
  const all = [...new Set(text.split(",").map((part) => part.trim().replace(/\/+$/, "")))];
  if (all.every((part) => registry.test(part))) return all;
  settings.refuse(
    name,
    text,
    "is no list of registries",
    "write them with commas between them, as in ghcr.io/firestoned",
  );
  return [];
}

/** What the operator does when nothing is set. */
export const standardConfig: Config = read(new Settings({}));
