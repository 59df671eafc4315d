// The variables of a container. Pure: what it refers to is handed in, and what is missing is refused in Kubernetes' words.
import type { Pod } from "@telltale/kinds/builtin";
import type { References } from "../kubelet/pod-runtime.ts";
import { expand } from "./expand.ts";
import { fieldValue, type Place, resourceValue } from "./fields.ts";
import { misconfigured, textOf } from "./refusal.ts";
import { type Container, valueIn } from "./spec.ts";

export type Env = Readonly<Record<string, string>>;

export interface EnvRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly refers: Pick<References, "configMap" | "secret" | "services">;
  readonly place: Place;
  /** What is there before the manifest is read: the image's variables, addresses and ports. A manifest may replace it. */
  readonly given: Env;
}

/** `envFrom`, then `env` in order; both over Service variables, and those over what was given. */
export function variables(request: EnvRequest): Env {
  const { pod, container, given } = request;
  const around = { ...given, ...serviceVariables(request) };
  const own = new Map<string, string>();
  for (const source of container.envFrom ?? [])
    for (const [name, value] of Object.entries(fromWhole(request, source))) own.set(name, value);
  const lookUp = (name: string) => own.get(name) ?? valueIn(around, name);
  for (const { name, value, valueFrom } of container.env ?? []) {
    const found = value ? expand(value, lookUp) : valueFrom === undefined ? "" : fromSource(request, valueFrom);
    if (found !== undefined) own.set(name, found);
  }
  for (const [name, value] of own) checkVariable(pod, container, name, value);
  return { ...around, ...Object.fromEntries(own) };
}

/** Without Service links a pod still learns where the API server is. */
function serviceVariables({ pod, refers }: EnvRequest): Env {
  const all = refers.services();
  if (pod.spec?.enableServiceLinks !== false) return all;
  return Object.fromEntries(Object.entries(all).filter(([name]) => /^KUBERNETES_(SERVICE|PORT)(_|$)/.test(name)));
}

type EnvFrom = NonNullable<Container["envFrom"]>[number];

function fromWhole({ refers }: EnvRequest, { configMapRef, secretRef, prefix = "" }: EnvFrom): Env {
  const prefixed = (data: Env) => Object.fromEntries(Object.entries(data).map(([key, value]) => [prefix + key, value]));
  if (configMapRef !== undefined) {
    const { name = "", optional } = configMapRef;
    const map = refers.configMap(name);
    if (map === undefined && optional !== true) throw misconfigured(`configmap "${name}" not found`);
    return prefixed(map?.data ?? {});
  }
  if (secretRef !== undefined) {
    const { name = "", optional } = secretRef;
    const secret = refers.secret(name);
    if (secret === undefined && optional !== true) throw misconfigured(`secret "${name}" not found`);
    return prefixed(Object.fromEntries(Object.entries(secret?.data ?? {}).map(([key, value]) => [key, plain(value)])));
  }
  return {};
}

type EnvSource = NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>;

/** Undefined: it is optional and not there. */
function fromSource({ pod, container, refers, place }: EnvRequest, source: EnvSource): string | undefined {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const namespace = pod.metadata?.namespace ?? "";
  if (fieldRef !== undefined) return asked(() => fieldValue(pod, fieldRef, place));
  if (resourceFieldRef !== undefined) return asked(() => resourceValue(pod, container, resourceFieldRef, place));
  if (configMapKeyRef !== undefined) {
    const { name = "", key, optional } = configMapKeyRef;
    const map = refers.configMap(name);
    if (map === undefined && optional !== true) throw misconfigured(`configmap "${name}" not found`);
    const value = valueIn(map?.data, key);
    if (value === undefined && optional !== true)
      throw misconfigured(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return value;
  }
  if (secretKeyRef !== undefined) {
    const { name = "", key, optional } = secretKeyRef;
    const secret = refers.secret(name);
    if (secret === undefined && optional !== true) throw misconfigured(`secret "${name}" not found`);
    const value = valueIn(secret?.data, key);
    if (value === undefined && optional !== true)
      throw misconfigured(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return value === undefined ? undefined : plain(value);
  }
  throw misconfigured(`unsupported source of a variable: ${Object.keys(source).join(", ")}`);
}

function asked(question: () => string): string {
  try {
    return question();
  } catch (error) {
    throw misconfigured(textOf(error));
  }
}

function plain(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

function checkVariable(pod: Pod, { name: container }: Container, name: string, value: string): void {
  const where = `container ${container} of pod ${pod.metadata?.name ?? ""}`;
  if (name === "" || /[=\0]/.test(name))
    throw misconfigured(`variable name ${JSON.stringify(name)} of ${where} is empty or has "=" or a NUL byte`);
  if (value.includes("\0"))
    throw misconfigured(
      `variable ${name} of ${where} has a NUL byte, which no environment can hold; mount it as a file`,
    );
}
