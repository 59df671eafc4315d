// What a pod refers to and is not there: a kubelet cannot mount it, or cannot make the container. Pure.
import type { Pod } from "@telltale/kinds/builtin";
import type { References } from "../kubelet/pod-runtime.ts";
import { type Reference, referencesOf } from "../kubelet/refers.ts";
import type { Missing } from "./scene.ts";

const nothing: Missing = { variables: new Map() };

/** The access to the server that every pod is given comes from the server itself: a simulated pod does not look for it. */
const given = "kube-api-access-";

export function missingOf(pod: Pod, refers: References): Missing {
  const lacking = referencesOf(pod).filter((it) => !it.optional && !isThere(it, refers));
  if (lacking.length === 0) return nothing;
  let volume: string | undefined;
  const variables = new Map<string, string>();
  for (const { kind, name, by } of lacking) {
    const what = `${kind.toLowerCase()} "${name}" not found`;
    if (by.is === "variable") variables.set(by.container, variables.get(by.container) ?? what);
    else if (!by.volume.startsWith(given)) volume ??= `MountVolume.SetUp failed for volume "${by.volume}" : ${what}`;
  }
  return { variables, ...(volume === undefined ? {} : { volume }) };
}

function isThere({ kind, name }: Reference, refers: References): boolean {
  if (kind === "ConfigMap") return refers.configMap(name) !== undefined;
  if (kind === "Secret") return refers.secret(name) !== undefined;
  return refers.claim === undefined || refers.claim(name) !== undefined;
}
