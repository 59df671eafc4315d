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

type InstanceKeys = Pick<Bind9InstanceSpec, "rndcKey" | "rndcSecretRef">;
type RoleKeys = Pick<NonNullable<Bind9ClusterSpec["primary"]>, "rndcKey" | "rndcSecretRef">;

export function keyChoice(
  instance: string,
  spec: InstanceKeys,
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

/** What is said of keys and does not count, since something beside it does; `at`: where the role's are found. */
export function overruledKeys(spec: InstanceKeys, role: RoleKeys, at: string): readonly Overruled[] {
  const key = spec.rndcKey ?? role.rndcKey;
  if (key === undefined) return [];
  const path = spec.rndcKey === undefined ? `${at}.rndcKey` : "rndcKey";
  const isGiven = key.secretRef !== undefined || key.secret !== undefined;
  const given = "the key is given, and only one that the operator makes is replaced by itself: set this to false";
  const used = `${path} says which key is used: remove the field`;
  const found: readonly (Overruled & { readonly isSet: boolean })[] = [
    {
      field: `${path}.secret`,
      isSet: key.secretRef !== undefined && key.secret !== undefined,
      message: `${path}.secretRef names the key that is used: remove one of the two`,
    },
    { field: `${path}.autoRotate`, isSet: isGiven && key.autoRotate === true, message: given },
    { field: "rndcSecretRef", isSet: spec.rndcSecretRef !== undefined, message: used },
    {
      field: `${at}.rndcSecretRef`,
      isSet: spec.rndcKey === undefined && role.rndcSecretRef !== undefined,
      message: used,
    },
  ];
  return found.filter(({ isSet }) => isSet).map(({ field, message }) => ({ field, message }));
}

/** A field that has no effect, and what to do about it. */
export interface Overruled {
  readonly field: string;
  readonly message: string;
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
