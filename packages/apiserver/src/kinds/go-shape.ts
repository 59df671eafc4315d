// Values as upstream prints its internal types in messages: Go field names, in Go's order, with everything that is not set.
// Only for the few types that messages show; what lies deeper is printed with its members as given.
import { isObject, type Json, type JsonObject } from "../json.ts";
import { isEmpty } from "./checks.ts";
import { given } from "./edit.ts";

/** The JSON of an internal value. */
export function goStruct(type: GoType, object: JsonObject): string {
  return JSON.stringify(goValue(type, object));
}

type GoType = keyof typeof shapes;

/** Go field names in order. `=0` after one: what it holds when it is not set, else null. `>x`: its own type. */
const shapes = {
  "core.SecurityContext":
    "Capabilities Privileged SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile AppArmorProfile",
  "core.PodSecurityContext":
    "HostNetwork=false HostPID=false HostIPC=false ShareProcessNamespace HostUsers SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy",
  "core.ResourceRequirements": "Limits Requests Claims",
  "core.Container":
    'Name="" Image="" Command Args WorkingDir="" Ports EnvFrom Env Resources={}>core.ResourceRequirements ResizePolicy RestartPolicy RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe StartupProbe Lifecycle TerminationMessagePath="" TerminationMessagePolicy="" ImagePullPolicy="" SecurityContext>core.SecurityContext Stdin=false StdinOnce=false TTY=false',
  "core.Toleration": 'Key="" Operator="" Value="" Effect="" TolerationSeconds',
  "core.PodSpec":
    'Volumes InitContainers>core.Container Containers>core.Container EphemeralContainers RestartPolicy="" TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy="" NodeSelector ServiceAccountName="" AutomountServiceAccountToken NodeName="" SecurityContext={}>core.PodSecurityContext ImagePullSecrets Hostname="" Subdomain="" SetHostnameAsFQDN Affinity SchedulerName="" Tolerations>core.Toleration HostAliases PriorityClassName="" Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup',
  "core.PersistentVolumeClaimSpec":
    'AccessModes Selector>json Resources={}>core.VolumeResourceRequirements VolumeName="" StorageClassName VolumeMode DataSource DataSourceRef VolumeAttributesClassName',
  "core.VolumeResourceRequirements": "Limits Requests",
  "policy.PodDisruptionBudgetSpec": "MinAvailable Selector>json MaxUnavailable UnhealthyPodEvictionPolicy",
  "apps.DeploymentStrategy": 'Type="" RollingUpdate>apps.RollingUpdateDeployment',
  "apps.DaemonSetUpdateStrategy": 'Type="" RollingUpdate>apps.RollingUpdateDeployment',
  "apps.RollingUpdateDeployment": "MaxUnavailable MaxSurge",
  "apps.StatefulSetUpdateStrategy": 'Type="" RollingUpdate>apps.RollingUpdateStatefulSetStrategy',
  "apps.RollingUpdateStatefulSetStrategy": "Partition=0 MaxUnavailable",
  "rbac.RoleRef": 'APIGroup="" Kind="" Name=""',
  "batch.PodFailurePolicy": "Rules=[]",
};

export function goValue(type: string, value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((item) => goValue(type, item));
  if (!isObject(value)) return value ?? null;
  if (type === "json") return value;
  if (!Object.hasOwn(shapes, type)) return capitalised(value);
  const shape = shapes[type as GoType];
  const shown: JsonObject = {};
  for (const entry of shape.split(" ")) {
    const [, name = "", zero, inner = ""] = /^(\w+)(?:=([^>]+))?(?:>(.+))?$/.exec(entry) ?? [];
    const here = value[jsonName(name)];
    const empty = isEmpty(here) && !(isObject(here) && inner !== "");
    if (!empty) shown[name] = goValue(inner === "" ? "other" : inner, here);
    else shown[name] = zero === "{}" ? goValue(inner, {}) : zero === undefined ? null : JSON.parse(zero);
  }
  return shown;
}

/** The spec as upstream holds it: what a pod says about its host stands in the security context there. */
export function internalPodSpec(spec: JsonObject): JsonObject {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const host = Object.entries({ hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers });
  const context: JsonObject = { ...given(spec, "securityContext") };
  for (const [name, value] of host) if (value !== undefined) context[name] = value;
  return { ...spec, securityContext: context };
}

/** A template: the members of its metadata stand beside `Spec`. */
export function goTemplate(template: JsonObject): string {
  const spec = goValue("core.PodSpec", internalPodSpec(given(template, "spec") ?? {}));
  return JSON.stringify({ ...given(template, "metadata"), Spec: spec });
}

const special: Readonly<Record<string, string>> = {
  APIGroup: "apiGroup",
  DNSConfig: "dnsConfig",
  DNSPolicy: "dnsPolicy",
  FSGroup: "fsGroup",
  FSGroupChangePolicy: "fsGroupChangePolicy",
  OS: "os",
  SELinuxChangePolicy: "seLinuxChangePolicy",
  SELinuxOptions: "seLinuxOptions",
  TTY: "tty",
};

const jsonName = (name: string): string => special[name] ?? `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

function capitalised(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [/[/.]/.test(name) ? name : upper(name), goValue("other", inner)]),
  );
}

const upper = (name: string): string =>
  /^[a-z]/.test(name) && !["cpu", "memory"].includes(name) ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
