// The options of named (`global` of a cluster, `config` of an instance): what stands in named.conf without quotes (12.2).
import { text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import type { Bind9InstanceSpec } from "../kinds/bind9-instance.ts";
import { aclProblems } from "./acl.ts";
import { bindcarProblems } from "./bindcar.ts";
import type { ImageRules } from "./images.ts";
import { secretRefProblems } from "./keys.ts";
import { each, type Problem, unless } from "./problem.ts";

type Options = NonNullable<Bind9InstanceSpec["config"]>;
type Signing = NonNullable<NonNullable<Options["dnssec"]>["signing"]>;

export function* optionProblems(path: string, options: Options | undefined, rules: ImageRules): Iterable<Problem> {
  if (options === undefined) return;
  for (const list of ["allowQuery", "allowTransfer", "listenOn", "listenOnV6"] as const) {
    yield* aclProblems(`${path}.${list}`, options[list]);
  }
  yield* each(`${path}.forwarders`, options.forwarders, (address, at) =>
    unless(addressOf(address) !== undefined, at, text`is not an address`),
  );
  yield* signingProblems(`${path}.dnssec.signing`, options.dnssec?.signing);
  yield* secretRefProblems(`${path}.rndcSecretRef`, options.rndcSecretRef);
  yield* bindcarProblems(`${path}.bindcarConfig`, options.bindcarConfig, rules);
}

const known = ["ECDSAP256SHA256", "ECDSAP384SHA384", "RSASHA256"];
const day = 86_400;
/** Below these named 9.18 does not start: a rollover with the times of our policies takes longer. */
const least = { kskLifetime: 2 * day, zskLifetime: 27 * day } as const;
/** Above it named 9.18 does not start. */
const mostIterations = 150;

function* signingProblems(path: string, signing: Signing | undefined): Iterable<Problem> {
  if (signing === undefined) return;
  const { algorithm, keysFrom, nsec3Iterations = 0 } = signing;
  const isKnown = algorithm === undefined || known.includes(algorithm);
  yield* unless(isKnown, `${path}.algorithm`, text`is none of ${known.join(", ")}`);
  for (const name of ["kskLifetime", "zskLifetime"] as const) {
    const seconds = secondsIn(signing[name] ?? "unlimited");
    yield* unless(seconds !== undefined, `${path}.${name}`, text`is neither unlimited nor a time as in 365d`);
    const days = least[name] / day;
    const isLong = seconds === undefined || seconds >= least[name];
    yield* unless(isLong, `${path}.${name}`, text`is shorter than ${days} days, the time that a new key needs`);
  }
  const isFew = nsec3Iterations <= mostIterations;
  yield* unless(isFew, `${path}.nsec3Iterations`, text`is more than ${mostIterations}`);
  const secret = keysFrom?.secretRef?.name ?? "bindy-";
  yield* unless(secret.startsWith("bindy-"), `${path}.keysFrom.secretRef.name`, text`does not begin with bindy-`);
  const isHere = keysFrom?.secretRef?.namespace === undefined;
  yield* unless(
    isHere,
    `${path}.keysFrom.secretRef.namespace`,
    text`is set, but a pod reads Secrets of its own namespace only`,
  );
  const hasOwnKeys =
    keysFrom?.secretRef !== undefined &&
    (["kskLifetime", "zskLifetime"] as const).every((name) => secondsIn(signing[name] ?? "unlimited") === forEver);
  yield* unless(
    signing.enabled !== true || signing.autoGenerate !== false || hasOwnKeys,
    `${path}.autoGenerate`,
    text`is false, but named makes keys unless they come from keysFrom.secretRef and their lifetimes are unlimited`,
  );
  const isSecret = keysFrom?.persistentVolume === undefined;
  yield* unless(isSecret, `${path}.keysFrom.persistentVolume`, text`is not supported: use keysFrom.secretRef`);
}

const forEver = Number.POSITIVE_INFINITY;
const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: day, w: 7 * day };

/** `365d`, `1w2d`, `86400` as named reads it; unlimited and 0 are for ever. */
function secondsIn(lifetime: string): number | undefined {
  if (lifetime === "unlimited" || /^0+$/.test(lifetime)) return forEver;
  if (/^[1-9][0-9]{0,9}$/.test(lifetime)) return Number(lifetime);
  if (!/^([0-9]{1,7}[smhdw])+$/i.test(lifetime)) return undefined;
  const parts = [...lifetime.toLowerCase().matchAll(/([0-9]+)([smhdw])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
}
