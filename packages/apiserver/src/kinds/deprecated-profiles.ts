// AppArmor and seccomp profiles in annotations, as pods said it before there were fields. The words are those of Kubernetes. Pure.
import { deepEqual } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { each, given } from "./edit.ts";

const appArmor = "container.apparmor.security.beta.kubernetes.io/";
const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";
const groups = ["initContainers", "containers", "ephemeralContainers"];

/** A new pod whose annotations about AppArmor are in the fields as well, where those say nothing. */
export function withAppArmorFields(pod: JsonObject, warn: (text: string) => void): JsonObject {
  const annotations = given(given(pod, "metadata"), "annotations") ?? {};
  if (at(pod, "spec", "os", "name") === "windows") return pod;
  if (!Object.keys(annotations).some((name) => name.startsWith(appArmor))) return pod;
  const spec: JsonObject = { ...given(pod, "spec") };
  const ofPod = given(given(spec, "securityContext"), "appArmorProfile");
  const filledIn = (container: JsonObject): JsonObject => {
    const key = appArmorKey(container);
    const annotation = annotations[key];
    const context = given(container, "securityContext");
    if (annotation === undefined || given(context, "appArmorProfile") !== undefined) return container;
    const profile = profileOf(text(annotation));
    const isCopied = profile !== undefined && !deepEqual(profile, ofPod);
    if (profile === undefined || isCopied)
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    return isCopied ? { ...container, securityContext: { ...context, appArmorProfile: profile } } : container;
  };
  for (const group of groups) if (each(spec, group).length > 0) spec[group] = each(spec, group).map(filledIn);
  return { ...pod, spec };
}

/** The annotation about a container. */
export const appArmorKey = (container: JsonObject): string => appArmor + text(container["name"]);

/** What an annotation says, as the field does. */
export function profileOf(annotation: string): JsonObject | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const file = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : "";
  return file === "" ? undefined : { type: "Localhost", localhostProfile: file };
}

/** An annotation about seccomp that nothing reads any more: of a pod, or of a container. `prefix`: of its path. */
export function seccompWarnings(prefix: string, annotations: JsonObject, holder: JsonObject, isPod: boolean): string[] {
  const key = isPod ? seccompOfPod : seccompOfContainer + text(holder["name"]);
  const isUsed = given(given(holder, "securityContext"), "seccompProfile") !== undefined;
  if (isUsed || !Object.hasOwn(annotations, key)) return [];
  return [`${prefix}metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`];
}
