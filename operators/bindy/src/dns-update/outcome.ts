// How a call of a server's DNS port ended. It is none of Bindcar's: a pod whose Bindcar is well may refuse updates.
import { type SafeText, text } from "@telltale/status";
import type { Unreachable } from "../bindcar/outcome.ts";
import type { KeyReference } from "./client.ts";

export type UpdateOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly trouble: UpdateTrouble };

export interface UpdateTrouble {
  readonly at: "update";
  readonly why: UpdateProblem;
  /** Whom it was to be signed with. Undefined: the pod names no key. */
  readonly key?: KeyReference;
}

export type UpdateProblem =
  | "no key" // there is none, or it cannot be read
  | "key refused" // named has another one, or the clocks are apart
  | "not allowed" // the zone takes no updates with it, or is frozen
  | "not authoritative"
  | "failed" // named says that it could not
  | "too large"
  | "contended" // whenever we looked somebody else had changed the zone
  | "aborted" // the caller gave up
  | Unreachable;

/** Whether the server may do what it did not do when it is asked again, or has done it. */
export const isSilent = ({ why }: UpdateTrouble): boolean => !spoken.has(why);

const spoken: ReadonlySet<UpdateProblem> = new Set<UpdateProblem>([
  "no key",
  "key refused",
  "not allowed",
  "not authoritative",
  "failed",
  "too large",
  "contended",
  "aborted",
]);

/** What is wrong, and what puts it right. */
export function saysOf({ why, key }: UpdateTrouble, zone: string): SafeText {
  const { name = "", namespace = "", secret = "", field = "" } = key ?? {};
  switch (why) {
    case "no key":
      return key === undefined
        ? text`its Bindcar cannot change zone ${zone} in place, and its pod names no key for updates: set RNDC_SECRET of the container api from a Secret`
        : text`its Bindcar cannot change zone ${zone} in place, and the key for updates cannot be read: let the operator get Secret ${namespace}/${secret}, with the key as ${field}`;
    case "key refused":
      return text`named does not take key ${name} of Secret ${namespace}/${secret} for updates of zone ${zone}: restart the pod, so that it has this key, and set its clock`;
    case "not allowed":
      return text`named refuses updates of zone ${zone} with key ${name}: allow it (allow-update and allow-query with the key) and thaw the zone, or delete the zone there by hand and it is made anew`;
    case "not authoritative":
      return text`named does not answer for zone ${zone}: look into its log why it did not load it`;
    case "failed":
      return text`named failed to update zone ${zone}: look into its log`;
    case "too large":
      return text`zone ${zone} has more under one name and type than an update takes (64 KB): split it`;
    case "contended":
      return text`somebody else keeps changing zone ${zone}: end it`;
    default:
      return text`named does not answer updates of zone ${zone} (${why}): let the operator reach TCP port 5353 of the pod`;
  }
}
