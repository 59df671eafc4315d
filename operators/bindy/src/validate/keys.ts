// The keys that named and Bindcar share: where they come from and how often they change (12.5).
import { text } from "@telltale/status";
import type { Bind9InstanceSpec } from "../kinds/bind9-instance.ts";
import { annotationProblems, labelProblems } from "./labels.ts";
import { type Problem, unless } from "./problem.ts";

type KeyConfig = NonNullable<Bind9InstanceSpec["rndcKey"]>;
type SecretRef = NonNullable<Bind9InstanceSpec["rndcSecretRef"]>;

export function* keyProblems(path: string, key: KeyConfig | undefined): Iterable<Problem> {
  if (key === undefined) return;
  yield* algorithmProblems(`${path}.algorithm`, key.algorithm);
  const hours = hoursIn(key.rotateAfter ?? "720h");
  const isInRange = hours !== undefined && hours >= 1 && hours <= 8760;
  yield* unless(isInRange, `${path}.rotateAfter`, text`is not from 1h to 8760h`);
  yield* secretRefProblems(`${path}.secretRef`, key.secretRef);
  const { labels, annotations } = key.secret?.metadata ?? {};
  yield* labelProblems(`${path}.secret.metadata.labels`, labels);
  yield* annotationProblems(`${path}.secret.metadata.annotations`, annotations);
}

export function* secretRefProblems(path: string, ref: SecretRef | undefined): Iterable<Problem> {
  yield* algorithmProblems(`${path}.algorithm`, ref?.algorithm);
}

/** The schema knows it, because it was accepted once; Bindcar refuses it. */
function* algorithmProblems(path: string, algorithm: string | undefined): Iterable<Problem> {
  yield* unless(algorithm !== "hmac-sha1", path, text`is hmac-sha1, which is too weak: use hmac-sha256`);
}

const hoursOf: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

/** `720h`, `30d` or `4w` in hours. */
export function hoursIn(span: string): number | undefined {
  const [, count = "", unit = ""] = /^([0-9]{1,6})([hdw])$/.exec(span) ?? [];
  const each = hoursOf[unit];
  return each === undefined ? undefined : Number(count) * each;
}
