// Whether the connection to a provider is encrypted: a decision that somebody has to take (3.2 step 4, 7.2). Pure.
import { type SafeText, text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";

type TlsPosture =
  | { readonly is: "undecided" }
  | { readonly is: "plaintext" } // by choice
  | { readonly is: "secretless" } // wanted, and no Secret named
  | { readonly is: "encrypted"; readonly secret: string };

export function tlsPosture({ spec }: Provider): TlsPosture {
  const tls = spec.runtime?.service?.tls;
  if (tls === undefined) return { is: "undecided" };
  // Only the word itself: an absent one has its default, true (L-05).
  if (tls.enabled === false) return { is: "plaintext" };
  const secret = tls.secretRef?.name ?? "";
  return secret === "" ? { is: "secretless" } : { is: "encrypted", secret };
}

interface TlsSaid {
  readonly status: "True" | "False";
  readonly reason: "TLSBlockMissing" | "ExplicitlyDisabled" | "SecretRefMissing" | "Enabled";
  readonly message: SafeText;
}

export function tlsSaid(posture: TlsPosture): TlsSaid {
  switch (posture.is) {
    case "undecided":
      return no(
        "TLSBlockMissing",
        text`spec.runtime.service.tls is missing: reference a Secret in secretRef, or set enabled: false for plaintext`,
      );
    case "plaintext":
      return no("ExplicitlyDisabled", text`TLS is disabled by spec.runtime.service.tls.enabled: false`);
    case "secretless":
      return no("SecretRefMissing", text`TLS is enabled, but spec.runtime.service.tls.secretRef names no Secret`);
    case "encrypted":
      return { status: "True", reason: "Enabled", message: text`TLS enabled; using Secret "${posture.secret}"` };
  }
}

const no = (reason: Exclude<TlsSaid["reason"], "Enabled">, message: SafeText): TlsSaid => ({
  status: "False",
  reason,
  message,
});
