// Whether a provider can run as its spec says, and if not, why (3.2 steps 2 to 4). Pure.
import { isDnsLabel } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import type { Tls } from "../known-secrets.ts";
import { toldAll } from "../validate/problem.ts";
import { providerProblems } from "../validate/provider.ts";
import { healthPort, portOf } from "./runtime-names.ts";
import { tlsPosture } from "./tls.ts";
import type { ConfigurationTrouble, Wanted } from "./world.ts";

/** What else was looked at. */
export interface Found {
  readonly hasCredentials: boolean;
  /** Undefined where the spec has not decided. */
  readonly tls: Tls | undefined;
  /** Where it runs already, or why it must not be asked there. Undefined: we run it. */
  readonly external: External | undefined;
}

export type External = { readonly endpoint: string } | { readonly refused: SafeText };

export function wantedOf(it: Provider, { hasCredentials, tls, external }: Found): Wanted {
  const { runtime, credentialSecretRef: credentials } = it.spec;
  if (runtime === undefined) return invalid("MissingRuntime", text`runtime configuration is required`);
  const problem = toldAll(providerProblems(it)) ?? runtimeProblem(it);
  if (problem !== undefined) return invalid("InvalidConfiguration", problem);
  if (external === undefined && !hasCredentials) {
    return invalid("CredentialsNotFound", text`credentials Secret ${credentials.name} not found`);
  }
  if (external !== undefined && "refused" in external) return invalid("InvalidConfiguration", external.refused);
  const posture = tlsPosture(it);
  if (tls === undefined || posture.is === "undecided" || posture.is === "secretless") {
    return invalid("TLSNotConfigured", text`TLS configuration required (see TLSConfigured Condition)`);
  }
  if (tls.is === "missing") return invalid("InvalidConfiguration", tls.why);
  const secret = tls.is === "secret" ? { tls: tls.secret } : {};
  return external === undefined
    ? { is: "deployed", ...secret }
    : { is: "external", endpoint: external.endpoint, ...secret };
}

const invalid = (reason: ConfigurationTrouble, said: SafeText): Wanted => ({ is: "invalid", reason, said });

function runtimeProblem(it: Provider): SafeText | undefined {
  if (portOf(it) === healthPort) {
    return text`spec.runtime.service.port ${healthPort} is that of health and metrics: choose another one`;
  }
  if (!isDnsLabel((it.metadata.name ?? "").slice(0, 63))) {
    return text`its name has a dot: no Service can be called so, and nothing can refer to it`;
  }
  return undefined;
}
