// Where the key of a nameserver comes from: the first that says anything counts (8.4). Pure.
import type { Ms } from "@telltale/kinds";
import type { Algorithm, Bind9ClusterSpec, Bind9InstanceSpec } from "../kinds/index.ts";
import { rndcSecretName } from "../names.ts";
import { hoursIn } from "../validate/index.ts";

type RndcKey = NonNullable<Bind9InstanceSpec["rndcKey"]>;
export type SecretRef = NonNullable<Bind9InstanceSpec["rndcSecretRef"]>;
export type InlineSecret = NonNullable<RndcKey["secret"]>;

export type KeyChoice =
  | Generated // made here
  | { readonly is: "inline"; readonly secret: InlineSecret; readonly algorithm: Algorithm } // made here, from what is given
  | { readonly is: "referenced"; readonly ref: SecretRef; readonly path: string }; // somebody else's, named there

export interface Generated {
  readonly is: "generated";
  readonly secret: string;
  readonly algorithm: Algorithm;
  /** How old it may become. Undefined: it is never replaced. */
  readonly rotateAfter?: Ms;
}

type RoleKeys = Pick<NonNullable<Bind9ClusterSpec["primary"]>, "rndcKey" | "rndcSecretRef">;

export function keyChoice(
  instance: string,
  spec: Pick<Bind9InstanceSpec, "rndcKey" | "rndcSecretRef">,
  role: RoleKeys,
  config: Pick<NonNullable<Bind9InstanceSpec["config"]>, "rndcSecretRef">,
): KeyChoice {
  const key = spec.rndcKey ?? role.rndcKey;
  if (key?.secretRef !== undefined) return { is: "referenced", ref: key.secretRef, path: "spec.rndcKey.secretRef" };
  if (key?.secret !== undefined) return { is: "inline", secret: key.secret, algorithm: algorithmOf(key) };
  if (key !== undefined) return generated(instance, key);
  const ref = spec.rndcSecretRef ?? role.rndcSecretRef ?? config.rndcSecretRef;
  return ref === undefined ? generated(instance, {}) : { is: "referenced", ref, path: "spec.rndcSecretRef" };
}

function generated(instance: string, key: RndcKey): Generated {
  return {
    is: "generated",
    secret: rndcSecretName(instance),
    algorithm: algorithmOf(key),
    ...(key.autoRotate === true ? { rotateAfter: spanOf(key.rotateAfter ?? "720h") } : {}),
  };
}

const algorithmOf = ({ algorithm }: { readonly algorithm?: Algorithm }): Algorithm => algorithm ?? "hmac-sha256";

/** What is no span is refused before. */
const spanOf = (span: string): Ms => (hoursIn(span) ?? 720) * 3_600_000;
