// How the operator is set up: every flag of its own, read once at the start.
import type { Ms } from "@telltale/kinds";
import { type Env, Settings } from "@telltale/runtime";

export interface Config {
  /** The parts that run in this process. */
  readonly controllers: readonly Part[];
  /** Only objects in these namespaces; absent: all. */
  readonly namespaces?: readonly string[];
  /** Only objects whose watch-filter label has this value; absent: all. */
  readonly watchFilter?: string;
  readonly clusterApiMode: "auto" | "external" | "standalone";
  readonly failureDomainsShape: "auto" | "map" | "list";
  readonly timeouts: Timeouts;
  /** What a timeout does: end it for good, or only say so. */
  readonly timeoutPolicy: "terminal" | "degraded";
  /** Passes at a time, of each controller. */
  readonly concurrency: number;
  readonly runner: RunnerConfig;
  /** Namespaces, besides an object's own, that a rendered Workspace may refer to. */
  readonly allowedSecretNamespaces: readonly string[];
  readonly features: { readonly machines: boolean };
  readonly process: ProcessConfig;
}

export const parts = ["infrastructure", "control-plane", "cluster-bridge", "workspace-runner", "machines"] as const;
export type Part = (typeof parts)[number];

/** What holds where an object says nothing. */
export interface Timeouts {
  readonly controlPlane: Ms;
  readonly vpcReady: Ms;
  readonly secret: Ms;
  /** Absent: as long as what the Workspace is for, a network or a control plane. */
  readonly workspaceReady?: Ms;
}

export interface RunnerConfig {
  readonly kind: "auto" | "none" | "tofu" | "terraform" | "simulated";
  /** Where each run has its directory. */
  readonly root: string;
  readonly concurrency: number;
  /** Of one run. */
  readonly timeout: Ms;
}

/** What belongs to the process and not to the work. */
export interface ProcessConfig {
  readonly metrics?: Address;
  readonly health?: Address;
  readonly leaderElect: boolean;
}

export interface Address {
  /** Absent: all addresses of the machine. */
  readonly host?: string;
  readonly port: number;
}

/** By the flags' names: `{ "--secret-timeout": "5m" }`. A flag that may be repeated is one text with commas. */
export function configFrom(flags: Env): { readonly config: Config } | { readonly errors: readonly string[] } {
  const settings = new Settings(flags);
  for (const name of Object.keys(flags)) {
    const value = settings.text(name);
    if (value === undefined || known.includes(name)) continue;
    settings.refuse(name, value, "is no flag of this operator", `leave it out; there are ${known.join(", ")}`);
  }
  const config = read(settings);
  return settings.result("capt", config);
}

const known: readonly string[] = [
  "--enable-controller",
  "--metrics-bind-address",
  "--health-probe-bind-address",
  "--leader-elect",
  "--namespace",
  "--watch-filter",
  "--cluster-api-mode",
  "--failure-domains-shape",
  "--control-plane-timeout",
  "--vpc-ready-timeout",
  "--secret-timeout",
  "--workspace-ready-timeout",
  "--timeout-policy",
  "--concurrency",
  "--workspace-runner",
  "--runner-root",
  "--runner-concurrency",
  "--runner-timeout",
  "--allowed-secret-namespaces",
  "--feature-gates",
];

const minute: Ms = 60_000;

function read(settings: Settings): Config {
  const features = featuresIn(settings);
  const namespaces = settings.namespaces("--namespace");
  const watchFilter = watchFilterIn(settings);
  const workspaceReady = settings.duration("--workspace-ready-timeout", 0, "for that of the network or control plane");
  return {
    controllers: controllersIn(settings, features.machines),
    ...(namespaces !== undefined && { namespaces }),
    ...(watchFilter !== undefined && { watchFilter }),
    clusterApiMode: settings.choice("--cluster-api-mode", ["auto", "external", "standalone"], "auto"),
    failureDomainsShape: settings.choice("--failure-domains-shape", ["auto", "map", "list"], "auto"),
    timeouts: {
      controlPlane: settings.duration("--control-plane-timeout", 30 * minute),
      vpcReady: settings.duration("--vpc-ready-timeout", 15 * minute),
      secret: settings.duration("--secret-timeout", 5 * minute),
      ...(workspaceReady > 0 && { workspaceReady }),
    },
    timeoutPolicy: settings.choice("--timeout-policy", ["terminal", "degraded"], "terminal"),
    concurrency: settings.integer("--concurrency", 4, { least: 1, most: 1000 }),
    runner: {
      kind: settings.choice("--workspace-runner", ["auto", "none", "tofu", "terraform", "simulated"], "auto"),
      root: rootIn(settings),
      concurrency: settings.integer("--runner-concurrency", 2, { least: 1, most: 1000 }),
      timeout: settings.duration("--runner-timeout", 20 * minute),
    },
    allowedSecretNamespaces: settings.namespaces("--allowed-secret-namespaces") ?? [],
    features,
    process: processIn(settings),
  };
}

/** All parts where none is named. The machines have a gate of their own. */
function controllersIn(settings: Settings, machines: boolean): readonly Part[] {
  const flag = "--enable-controller";
  const open = parts.filter((part) => part !== "machines" || machines);
  const named = settings.choices(flag, parts, open);
  if (named.includes("machines") && !machines) {
    settings.refuse(
      flag,
      settings.text(flag) ?? "",
      "needs a feature gate",
      "set --feature-gates to Machines=true too",
    );
  }
  return named;
}

function featuresIn(settings: Settings): Config["features"] {
  const flag = "--feature-gates";
  const text = settings.text(flag) ?? "Machines=false";
  const gates = text.split(",").map((gate) => gate.trim());
  if (gates.every((gate) => gate === "Machines=true" || gate === "Machines=false") && gates.length === 1) {
    return { machines: gates[0] === "Machines=true" };
  }
  settings.refuse(flag, text, "is not accepted", "set it to Machines=true or Machines=false");
  return { machines: false };
}

const labelValue = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function watchFilterIn(settings: Settings): string | undefined {
  const flag = "--watch-filter";
  const text = settings.text(flag);
  if (text === undefined || labelValue.test(text)) return text;
  const fix = "use at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";
  settings.refuse(flag, text, "is no value of a label", fix);
  return undefined;
}

/** The operator's writable volume, where it runs in a cluster. */
const standardRoot = "/var/lib/capt";

function rootIn(settings: Settings): string {
  const flag = "--runner-root";
  const text = settings.text(flag) ?? standardRoot;
  if (!text.startsWith("/")) settings.refuse(flag, text, "is no absolute path", "set it to one as in /var/lib/capt");
  return text;
}

function processIn(settings: Settings): ProcessConfig {
  const metrics = addressIn(settings, "--metrics-bind-address", ":8080");
  const health = addressIn(settings, "--health-probe-bind-address", ":8081");
  return {
    ...(metrics !== undefined && { metrics }),
    ...(health !== undefined && { health }),
    leaderElect: settings.flag("--leader-elect", false),
  };
}

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080`; `0` is nowhere. */
function addressIn(settings: Settings, flag: string, standard: string): Address | undefined {
  const text = settings.text(flag) ?? standard;
  if (text === "0") return undefined;
  const [, host = "", digits = ""] = /^(\[[0-9A-Fa-f:.]+\]|[^\s:[\]/]*):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== "" && port <= 65_535) return { ...(host !== "" && { host: host.replace(/^\[|\]$/g, "") }), port };
  settings.refuse(flag, text, "is no address", "set it to one as in :8080 or 127.0.0.1:8080, or to 0 for none");
  return undefined;
}

/** What the operator does when nothing is set. */
export const standardConfig: Config = read(new Settings({}));
