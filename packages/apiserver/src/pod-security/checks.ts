// The rules of the levels, each in the versions of Kubernetes that changed it. The words are those of Kubernetes. Pure.
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import { each, given, list, number } from "../kinds/edit.ts";
import { goQuote } from "../status.ts";

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** A pod, or the template of pods. */
export interface PodLike {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly JsonObject[];
}

type Rule = (pod: PodLike) => Violation | undefined;

export interface Check {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** From which minor version on which rule holds, in order. */
  readonly since: readonly (readonly [minor: number, rule: Rule])[];
  /** A check of the baseline that this one includes. */
  readonly replaces?: string;
}

export function podLike(metadata: JsonObject | undefined, spec: JsonObject): PodLike {
  const annotations = Object.entries(given(metadata, "annotations") ?? {}).map(([name, value]) => [name, text(value)]);
  const groups = ["initContainers", "containers", "ephemeralContainers"];
  return {
    annotations: Object.fromEntries(annotations),
    spec,
    containers: groups.flatMap((group) => each(spec, group)),
  };
}

const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(", ");
const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);
const named = (word: string, names: readonly string[]): string => `${plural(word, names.length)} ${quoted(names)}`;
const uses = (names: readonly string[]): string => (names.length === 1 ? "uses" : "use");
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();
const nameOf = (container: JsonObject): string => text(container["name"]);
const security = (holder: JsonObject, ...path: string[]): Json | undefined => at(holder, "securityContext", ...path);

/** Names of the containers of which something is true. */
const those = (pod: PodLike, isSo: (container: JsonObject) => boolean): string[] =>
  pod.containers.filter(isSo).map(nameOf);

/** The pod itself and containers, as those who set something are named. */
const setters = (pod: boolean, containers: readonly string[]): string =>
  [...(pod ? ["pod"] : []), ...(containers.length === 0 ? [] : [named("container", containers)])].join(" and ");

const isWindows = ({ spec }: PodLike): boolean => at(spec, "os", "name") === "windows";
const hasOwnUsers = ({ spec }: PodLike): boolean => spec["hostUsers"] === false;
const unless =
  (isExempt: (pod: PodLike) => boolean, rule: Rule): Rule =>
  (pod) =>
    isExempt(pod) ? undefined : rule(pod);

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

function appArmor(pod: PodLike): Violation | undefined {
  const bad = (holder: JsonObject): string | undefined => {
    const profile = security(holder, "appArmorProfile");
    const type = text(at(profile, "type"));
    return isObject(profile) && type !== "RuntimeDefault" && type !== "Localhost" ? type : undefined;
  };
  const containers = those(pod, (container) => bad(container) !== undefined);
  const values = sorted([pod.spec, ...pod.containers].flatMap((holder) => bad(holder) ?? []));
  const annotations = Object.entries(pod.annotations)
    .filter(([name, value]) => name.startsWith(appArmorPrefix) && !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([name, value]) => `${name}=${goQuote(value)}`)
    .sort();
  const who = [
    ...[setters(bad(pod.spec) !== undefined, containers)].filter((it) => it !== ""),
    ...(annotations.length === 0 ? [] : [plural("annotation", annotations.length)]),
  ];
  if (who.length === 0) return undefined;
  const all = [...values, ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", all.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

const defaultCapabilities = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(
    " ",
  ),
);

const capabilities = (container: JsonObject, what: "add" | "drop"): string[] =>
  list(given(given(container, "securityContext"), "capabilities"), what).map(text);

/** What containers add beyond what is allowed, as a message says it. */
function added(pod: PodLike, isAllowed: (capability: string) => boolean): string | undefined {
  const beyond = (container: JsonObject) => capabilities(container, "add").filter((it) => !isAllowed(it));
  const containers = those(pod, (container) => beyond(container).length > 0);
  if (containers.length === 0) return undefined;
  const all = sorted(pod.containers.flatMap(beyond));
  return `${named("container", containers)} must not include ${quoted(all)} in securityContext.capabilities.add`;
}

function baselineCapabilities(pod: PodLike): Violation | undefined {
  const detail = added(pod, (capability) => defaultCapabilities.has(capability));
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
}

function restrictedCapabilities(pod: PodLike): Violation | undefined {
  const keeping = those(pod, (container) => !capabilities(container, "drop").includes("ALL"));
  const details = [
    keeping.length === 0
      ? undefined
      : `${named("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    added(pod, (capability) => capability === "NET_BIND_SERVICE"),
  ].filter((detail) => detail !== undefined);
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

function hostNamespaces({ spec }: PodLike): Violation | undefined {
  const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
}

function hostPaths({ spec }: PodLike): Violation | undefined {
  const volumes = each(spec, "volumes").filter((volume) => isObject(volume["hostPath"]));
  if (volumes.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: named("volume", volumes.map(nameOf)) };
}

function hostPorts(pod: PodLike): Violation | undefined {
  const ports = (container: JsonObject) =>
    each(container, "ports")
      .map((port) => number(port, "hostPort") ?? 0)
      .filter((port) => port !== 0)
      .map(String);
  const containers = those(pod, (container) => ports(container).length > 0);
  if (containers.length === 0) return undefined;
  const all = sorted(pod.containers.flatMap(ports));
  const detail = `${named("container", containers)} ${uses(containers)} ${plural("hostPort", all.length)} ${all.join(", ")}`;
  return { reason: "hostPort", detail };
}

const handlers: readonly (readonly string[])[] = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

function hostProbes(pod: PodLike): Violation | undefined {
  const hosts = (container: JsonObject) =>
    handlers
      .flatMap((path) => ["httpGet", "tcpSocket"].map((way) => text(at(container, ...path, way, "host"))))
      .filter((host) => host !== "");
  const containers = sorted(those(pod, (container) => hosts(container).length > 0));
  if (containers.length === 0) return undefined;
  const all = sorted(pod.containers.flatMap(hosts));
  const what = named("probe or lifecycle host", all);
  return { reason: "probe or lifecycle host", detail: `${named("container", containers)} ${uses(containers)} ${what}` };
}

function privileged(pod: PodLike): Violation | undefined {
  const containers = those(pod, (container) => security(container, "privileged") === true);
  if (containers.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${named("container", containers)} must not set securityContext.privileged=true`,
  };
}

function procMount(pod: PodLike): Violation | undefined {
  const type = (container: JsonObject) => {
    const set = security(container, "procMount");
    return typeof set === "string" && set !== "Default" ? set : undefined;
  };
  const containers = those(pod, (container) => type(container) !== undefined);
  if (containers.length === 0) return undefined;
  const all = quoted(sorted(pod.containers.flatMap((container) => type(container) ?? [])));
  return {
    reason: "procMount",
    detail: `${named("container", containers)} must not set securityContext.procMount to ${all}`,
  };
}

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];

const seLinux =
  (allowed: readonly string[]): Rule =>
  (pod) => {
    const options = (holder: JsonObject) => security(holder, "seLinuxOptions");
    const type = (holder: JsonObject) => text(at(options(holder), "type"));
    const sets = (holder: JsonObject, field: string) => text(at(options(holder), field)) !== "";
    const isBad = (holder: JsonObject) =>
      !allowed.includes(type(holder)) || sets(holder, "user") || sets(holder, "role");
    const all = [pod.spec, ...pod.containers];
    if (!all.some(isBad)) return undefined;
    const types = sorted(all.map(type).filter((it) => !allowed.includes(it)));
    const data = [
      ...(types.length === 0 ? [] : [named("type", types)]),
      ...["user", "role"]
        .filter((field) => all.some((it) => sets(it, field)))
        .map((field) => `${field} may not be set`),
    ];
    const who = setters(isBad(pod.spec), those(pod, isBad));
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
    };
  };

const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";

/** Before there were fields for it. */
function seccompAnnotations(pod: PodLike): Violation | undefined {
  const names = [seccompOfPod, ...pod.containers.map((container) => seccompOfContainer + nameOf(container))];
  const bad = sorted(
    names.flatMap((name) => {
      const value = pod.annotations[name];
      if (value === undefined || /^runtime\/default$|^docker\/default$|^localhost\//.test(value)) return [];
      return [`${name}=${goQuote(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return { reason: "seccompProfile", detail: `forbidden ${plural("annotation", bad.length)} ${bad.join(", ")}` };
}

type Seccomp = "fine" | "unset" | { readonly bad: string };

function seccompOf(holder: JsonObject): Seccomp {
  const profile = security(holder, "seccompProfile");
  if (!isObject(profile)) return "unset";
  const type = text(profile["type"]);
  return type === "RuntimeDefault" || type === "Localhost" ? "fine" : { bad: type };
}

function seccomp(pod: PodLike): Violation | undefined {
  const bad = (holder: JsonObject) => {
    const found = seccompOf(holder);
    return typeof found === "object" ? [found.bad] : [];
  };
  const values = sorted([pod.spec, ...pod.containers].flatMap(bad));
  if (values.length === 0) return undefined;
  const who = setters(
    bad(pod.spec).length > 0,
    those(pod, (container) => bad(container).length > 0),
  );
  const detail = `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: "seccompProfile", detail };
}

function restrictedSeccomp(pod: PodLike): Violation | undefined {
  const bad = seccomp(pod);
  if (bad !== undefined || seccompOf(pod.spec) === "fine") return bad;
  const containers = those(pod, (container) => seccompOf(container) === "unset");
  if (containers.length === 0) return undefined;
  const who = `pod or ${named("container", containers)}`;
  const detail = `${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: "seccompProfile", detail };
}

const safe = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const safe27 = [...safe, "net.ipv4.ip_local_reserved_ports"];
const safe29 = [
  ...safe27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const safe32 = [...safe29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const sysctls =
  (allowed: readonly string[]): Rule =>
  ({ spec }) => {
    const names = each(given(spec, "securityContext"), "sysctls").map(nameOf);
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
  };

function hostProcess(pod: PodLike): Violation | undefined {
  const isSet = (holder: JsonObject) => security(holder, "windowsOptions", "hostProcess") === true;
  const who = setters(isSet(pod.spec), those(pod, isSet));
  if (who === "") return undefined;
  return { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}

function escalation(pod: PodLike): Violation | undefined {
  const containers = those(pod, (container) => security(container, "allowPrivilegeEscalation") !== false);
  if (containers.length === 0) return undefined;
  const detail = `${named("container", containers)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
}

const freeVolumes = "configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret".split(
  " ",
);
const otherVolumes =
  "hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos".split(
    " ",
  );

function volumes({ spec }: PodLike): Violation | undefined {
  const has = (volume: JsonObject, types: readonly string[]) => types.find((type) => isObject(volume[type]));
  const bad = each(spec, "volumes").filter((volume) => has(volume, freeVolumes) === undefined);
  if (bad.length === 0) return undefined;
  const names = bad.map(nameOf);
  const types = sorted(bad.map((volume) => has(volume, otherVolumes) ?? "unknown"));
  return {
    reason: "restricted volume types",
    detail: `${named("volume", names)} ${uses(names)} ${named("restricted volume type", types)}`,
  };
}

function nonRoot(pod: PodLike): Violation | undefined {
  const says = (holder: JsonObject) => security(holder, "runAsNonRoot");
  const reason = "runAsNonRoot != true";
  const who = setters(
    says(pod.spec) === false,
    those(pod, (container) => says(container) === false),
  );
  if (who !== "") return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (says(pod.spec) === true) return undefined;
  const silent = those(pod, (container) => typeof says(container) !== "boolean");
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${named("container", silent)} must set securityContext.runAsNonRoot=true` };
}

function rootUser(pod: PodLike): Violation | undefined {
  const isRoot = (holder: JsonObject) => number(given(holder, "securityContext"), "runAsUser") === 0;
  const who = setters(isRoot(pod.spec), those(pod, isRoot));
  return who === "" ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
}

/** In the order in which messages name them. */
export const checks: readonly Check[] = [
  { id: "appArmorProfile", level: "baseline", since: [[0, appArmor]] },
  { id: "capabilities_baseline", level: "baseline", since: [[0, baselineCapabilities]] },
  { id: "hostNamespaces", level: "baseline", since: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", level: "baseline", since: [[0, hostPaths]] },
  { id: "hostPorts", level: "baseline", since: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", since: [[34, hostProbes]] },
  { id: "privileged", level: "baseline", since: [[0, privileged]] },
  {
    id: "procMount",
    level: "baseline",
    since: [
      [0, procMount],
      [35, unless(hasOwnUsers, procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    level: "baseline",
    since: [
      [0, seLinux(seLinuxTypes)],
      [31, seLinux([...seLinuxTypes, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    since: [
      [0, seccompAnnotations],
      [19, seccomp],
    ],
  },
  {
    id: "sysctls",
    level: "baseline",
    since: [
      [0, sysctls(safe)],
      [27, sysctls(safe27)],
      [29, sysctls(safe29)],
      [32, sysctls(safe32)],
    ],
  },
  { id: "windowsHostProcess", level: "baseline", since: [[0, hostProcess]] },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    since: [
      [8, escalation],
      [25, unless(isWindows, escalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    level: "restricted",
    replaces: "capabilities_baseline",
    since: [
      [22, restrictedCapabilities],
      [25, unless(isWindows, restrictedCapabilities)],
    ],
  },
  { id: "procMount_restricted", level: "restricted", replaces: "procMount", since: [[35, procMount]] },
  { id: "restrictedVolumes", level: "restricted", replaces: "hostPathVolumes", since: [[0, volumes]] },
  {
    id: "runAsNonRoot",
    level: "restricted",
    since: [
      [0, nonRoot],
      [35, unless(hasOwnUsers, nonRoot)],
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    since: [
      [23, rootUser],
      [35, unless(hasOwnUsers, rootUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    replaces: "seccompProfile_baseline",
    since: [
      [19, restrictedSeccomp],
      [25, unless(isWindows, restrictedSeccomp)],
    ],
  },
];
