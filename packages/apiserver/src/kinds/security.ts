// The rules for security contexts, of a container and of a pod.
import type { JsonObject } from "../json.ts";
import type { FieldError } from "../status.ts";
import { invalidRaw, optionalOneOf, within } from "./checks.ts";
import { goStruct } from "./go-shape.ts";

type Found = FieldError[];

const most = 2_147_483_647;

export function securityContext(field: string, context: JsonObject | undefined, hostUsers: boolean): Found {
  if (context === undefined) return [];
  const found: Found = [
    ...within(`${field}.runAsUser`, context["runAsUser"], 0, most),
    ...within(`${field}.runAsGroup`, context["runAsGroup"], 0, most),
    ...optionalOneOf(`${field}.procMount`, context["procMount"], ["Default", "Unmasked"]),
  ];
  if (context["procMount"] === "Unmasked" && hostUsers)
    found.push(invalidRaw(`${field}.procMount`, '"Unmasked"', "`hostUsers` must be false to use `Unmasked`"));
  if (context["privileged"] === true && context["allowPrivilegeEscalation"] === false)
    found.push(
      invalidRaw(
        field,
        goStruct("core.SecurityContext", context),
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
      ),
    );
  return found;
}

export function podSecurityContext(field: string, spec: JsonObject, context: JsonObject | undefined): Found {
  const found: Found = [
    ...within(`${field}.runAsUser`, context?.["runAsUser"], 0, most),
    ...within(`${field}.runAsGroup`, context?.["runAsGroup"], 0, most),
    ...within(`${field}.fsGroup`, context?.["fsGroup"], 0, most),
    ...optionalOneOf(`${field}.fsGroupChangePolicy`, context?.["fsGroupChangePolicy"], ["Always", "OnRootMismatch"]),
  ];
  if (spec["shareProcessNamespace"] === true && spec["hostPID"] === true)
    found.push(
      invalidRaw(`${field}.shareProcessNamespace`, "true", "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  return found;
}
