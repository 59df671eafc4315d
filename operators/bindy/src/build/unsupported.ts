// Fields that upstream's definitions have and that have no effect here. They are accepted, since manifests have them; the status of
// the instance says so, and what to do. Pure.
import type { Nameserver } from "./nameserver.ts";

export interface Unsupported {
  /** As a user finds it: of the instance, or of the `global` of its cluster. */
  readonly field: string;
  readonly message: string;
}

export function unsupportedIn({ config, storage }: Pick<Nameserver, "config" | "storage">): readonly Unsupported[] {
  const { nsec3Salt, exportToSecret } = config.dnssec?.signing ?? {};
  const { size, accessModes, storageClassName } = storage.persistentVolumeClaim ?? {};
  const claim = "the operator makes no claim: create the one that claimName names with it, and remove the field";
  const found: readonly (readonly [field: string, isSet: boolean, message: string])[] = [
    ["dnssec.signing.nsec3Salt", nsec3Salt !== undefined, "named draws a salt of 16 bytes itself: remove the field"],
    [
      "dnssec.signing.exportToSecret",
      exportToSecret === true,
      "keys are not exported: keep them in a Secret yourself and name it in keysFrom.secretRef, and set this to false",
    ],
    ["storage.persistentVolumeClaim.size", size !== undefined, claim],
    ["storage.persistentVolumeClaim.accessModes", accessModes !== undefined, claim],
    ["storage.persistentVolumeClaim.storageClassName", storageClassName !== undefined, claim],
  ];
  return found.filter(([, isSet]) => isSet).map(([field, , message]) => ({ field, message }));
}
