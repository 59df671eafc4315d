// Whether the primaries of a signed zone sign with the same keys, and still do after a pod was replaced. Pure.
import { type SafeText, text } from "@telltale/status";
import { type Nameserver, signingSecret } from "../build/index.ts";

/** Where a server has its signing keys from. */
export type KeySource =
  | { readonly kind: "secret"; readonly name: string } // the same for every pod, and kept
  | { readonly kind: "claim" } // of its own, and kept
  | { readonly kind: "pod" }; // named makes them, and they end with the pod

/** How one primary instance signs a zone. */
export interface Signing {
  readonly policy: string;
  readonly keys: KeySource;
}

export function keySourceOf(server: Pick<Nameserver, "config" | "storage">): KeySource {
  const secret = signingSecret(server);
  if (secret !== undefined) return { kind: "secret", name: secret };
  return { kind: server.storage.storageType === "persistentVolumeClaim" ? "claim" : "pod" };
}

const fix = text`enable dnssec.signing with keysFrom.secretRef on its servers, or set it to none`;

/** `signing`: of each primary instance. Undefined: it does not sign the zone. */
export function signingProblem(signing: readonly (Signing | undefined)[]): SafeText | undefined {
  const signers = signing.filter((one) => one !== undefined);
  if (signers.length === 0) return undefined;
  if (signers.some(({ keys }) => keys.kind === "pod")) {
    return text`signs the zone, but the keys would be lost with the pod: ${fix}`;
  }
  if (signing.length === 1) return undefined;
  if (signers.length < signing.length) {
    return text`signs the zone on ${signers.length} of ${signing.length} primary instances: enable dnssec.signing on all of them, or set it to none`;
  }
  const secrets = new Set(signers.map(({ keys }) => (keys.kind === "secret" ? keys.name : undefined)));
  const isShared = secrets.size === 1 && !secrets.has(undefined);
  return isShared ? undefined : text`signs the zone, but each primary instance would have keys of its own: ${fix}`;
}
