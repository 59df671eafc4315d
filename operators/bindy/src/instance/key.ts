// What has to be done about the key of a nameserver, given the Secret that is there (8.4). Pure: bytes are drawn by who acts.
import { formatTime, type Instant, instant, type Ms, parseTime, plus } from "@telltale/kinds";
import type { Secret } from "@telltale/kinds/builtin";
import { type SafeText, text } from "@telltale/status";
import {
  type Generated,
  generatedKeyName,
  type InlineSecret,
  isComplete,
  isSound,
  type KeyChoice,
  keyIn,
  parseKey,
  type RndcKey,
  type UsedKey,
} from "../build/index.ts";
import { annotations, rndcSecretName } from "../names.ts";
import type { Problem } from "../validate/index.ts";

export type KeyPlan =
  | { readonly is: "keep"; readonly used: UsedKey }
  | { readonly is: "make"; readonly used: UsedKey; readonly secret: Draft } // there is none
  | { readonly is: "renew"; readonly used: UsedKey; readonly old: Secret; readonly secret: Draft; readonly why: Why }
  | { readonly is: "mark"; readonly used: UsedKey; readonly old: Secret; readonly marks: Marks }
  | { readonly is: "invalid"; readonly problem: Problem };

type Marks = Readonly<Record<string, string>>;
export type Why = "malformed" | "other algorithm" | "due" | "other data";

/** A Secret in the making. What `fields` does not say is drawn. */
export interface Draft {
  readonly name: string;
  readonly keyName: string;
  readonly algorithm: string;
  readonly labels?: Marks;
  readonly annotations: Marks;
  readonly type?: string;
  /** Not encoded. */
  readonly fields: Marks;
}

export interface Seen {
  /** The Secret of the choice. */
  readonly secret: Secret | undefined;
  /** The one that is ours under the standard name, where the choice is somebody else's. */
  readonly copy: Secret | undefined;
  /** What the pods were last given as the time of their key. */
  readonly rotatedAt: string | undefined;
}

export function planKey(instance: string, choice: KeyChoice, seen: Seen, now: Instant): KeyPlan {
  if (choice.is === "referenced") return referenced(instance, choice, seen);
  if (choice.is === "inline") return inline(choice.secret, choice.algorithm, seen, now);
  return generated(choice, seen, now);
}

const leastAge: Ms = 3_600_000;

function generated(choice: Generated, { secret, rotatedAt }: Seen, now: Instant): KeyPlan {
  const count = Number(secret?.metadata?.annotations?.[annotations.rndcRotationCount] ?? "0") || 0;
  const fresh = (rotations: number): { readonly secret: Draft; readonly used: UsedKey } => {
    const createdAt = laterThan(rotatedAt, now);
    const draft: Draft = {
      name: choice.secret,
      keyName: generatedKeyName,
      algorithm: choice.algorithm,
      annotations: marksOf(choice, createdAt, rotations),
      fields: {},
    };
    return { secret: draft, used: usedOf(choice.secret, draft.keyName, choice.algorithm, createdAt) };
  };
  if (secret === undefined) return { is: "make", ...fresh(0) };
  const key = keyIn(secret);
  if (key === undefined || !isComplete(secret)) return { is: "renew", old: secret, why: "malformed", ...fresh(count) };
  if (key.algorithm !== choice.algorithm) return { is: "renew", old: secret, why: "other algorithm", ...fresh(count) };
  const { createdAt, rotateAt } = ageOf(secret);
  const used = usedOf(choice.secret, key.name, key.algorithm, createdAt ?? rotatedAt);
  if (choice.rotateAfter === undefined) return { is: "keep", used };
  if (createdAt === undefined || rotateAt === undefined) {
    const since = createdAt ?? secret.metadata?.creationTimestamp ?? formatTime(now);
    const marks = marksOf(choice, since, count);
    return { is: "mark", old: secret, marks, used: usedOf(choice.secret, key.name, key.algorithm, since) };
  }
  const isOld = now - (parseTime(createdAt) ?? now) >= leastAge;
  const isDue = (parseTime(rotateAt) ?? now) <= now;
  return isDue && isOld ? { is: "renew", old: secret, why: "due", ...fresh(count + 1) } : { is: "keep", used };
}

/** When a key is replaced next. */
export function nextRotation(choice: KeyChoice, secret: Secret | undefined): Instant | undefined {
  if (choice.is !== "generated" || choice.rotateAfter === undefined || secret === undefined) return undefined;
  const { createdAt, rotateAt } = ageOf(secret);
  const [born, due] = [parseTime(createdAt), parseTime(rotateAt)];
  return born === undefined || due === undefined ? undefined : instant(Math.max(due, plus(born, leastAge)));
}

export function ageOf({ metadata }: Secret): { createdAt: string | undefined; rotateAt: string | undefined } {
  const { [annotations.rndcCreatedAt]: createdAt, [annotations.rndcRotateAt]: rotateAt } = metadata?.annotations ?? {};
  return { createdAt, rotateAt };
}

function marksOf({ rotateAfter }: Generated, createdAt: string, count: number): Marks {
  const born = parseTime(createdAt);
  return {
    [annotations.rndcCreatedAt]: createdAt,
    [annotations.rndcRotationCount]: String(count),
    ...(rotateAfter === undefined || born === undefined
      ? {}
      : { [annotations.rndcRotateAt]: formatTime(plus(born, rotateAfter)) }),
  };
}

/** Two keys never have one time: by it pods are told that the key is another one. */
function laterThan(before: string | undefined, now: Instant): string {
  const at = formatTime(now);
  const then = parseTime(before);
  return then === undefined || at > (before ?? "") ? at : formatTime(plus(then, 1_000));
}

const usedOf = (secret: string, name: string, algorithm: string, rotatedAt: string | undefined): UsedKey => ({
  secret,
  name,
  algorithm,
  field: "secret",
  ...(rotatedAt === undefined ? {} : { rotatedAt }),
});

/** What a person gives of a key, and the rest of it. */
function inline(given: InlineSecret, standard: string, { secret, rotatedAt }: Seen, now: Instant): KeyPlan {
  const { name, labels, annotations: notes } = given.metadata;
  const { keyName = generatedKeyName, algorithm = standard, fields } = fieldsOf(given);
  // What is drawn is sound.
  if (!isSound({ name: keyName, algorithm, secret: fields["secret"] ?? "AAAA" }))
    return { is: "invalid", problem: { path: "spec.rndcKey.secret", problem: text`is no key that BIND could use` } };
  const createdAt = laterThan(rotatedAt, now);
  const draft: Draft = {
    name,
    keyName,
    algorithm,
    ...(labels === undefined ? {} : { labels }),
    annotations: { ...notes, [annotations.rndcCreatedAt]: createdAt },
    ...(given.type === undefined ? {} : { type: given.type }),
    fields,
  };
  const used = usedOf(name, keyName, draft.algorithm, createdAt);
  if (secret === undefined) return { is: "make", secret: draft, used };
  const key = keyIn(secret);
  if (key === undefined || !isComplete(secret)) {
    return { is: "renew", old: secret, secret: draft, used, why: "malformed" };
  }
  const isSame = Object.entries(fields).every(([field, value]) => decoded(secret.data?.[field]) === value);
  if (!isSame) return { is: "renew", old: secret, secret: draft, used, why: "other data" };
  return { is: "keep", used: usedOf(name, key.name, key.algorithm, ageOf(secret).createdAt) };
}

interface Given {
  readonly keyName?: string;
  readonly algorithm?: string;
  /** Without the file: that one is written anew, so that nothing but a key is in it. */
  readonly fields: Readonly<Record<string, string>>;
}

function fieldsOf({ data = {}, stringData = {} }: InlineSecret): Given {
  const plain = Object.entries(data).map(([name, value]) => [name, decoded(value) ?? ""]);
  const { "rndc.key": file = "", ...all }: Record<string, string> = { ...Object.fromEntries(plain), ...stringData };
  const written = parseKey(file);
  const keyName = all["key-name"] ?? written?.name;
  const algorithm = all["algorithm"] ?? written?.algorithm;
  return {
    ...(keyName === undefined ? {} : { keyName }),
    ...(algorithm === undefined ? {} : { algorithm }),
    fields: { ...(written === undefined ? {} : { secret: written.secret }), ...all },
  };
}

const decoded = (base64: string | undefined): string | undefined =>
  base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("utf8");

/** A key that is somebody else's: used as it is, or copied where a pod could not read it as it is. */
function referenced(
  instance: string,
  { ref, path }: Extract<KeyChoice, { is: "referenced" }>,
  { secret, copy, rotatedAt }: Seen,
): KeyPlan {
  const problem = (why: SafeText): KeyPlan => ({ is: "invalid", problem: { path, problem: why } });
  if (secret === undefined) return problem(text`Secret ${ref.name} not found`);
  const key = keyIn(secret, ref);
  if (key === undefined) return problem(text`Secret ${ref.name} holds no key that BIND could use`);
  const version = secret.metadata?.resourceVersion ?? "";
  if (isComplete(secret, ref)) {
    const used = { ...usedOf(ref.name, key.name, key.algorithm, undefined), field: ref.secretKey ?? "secret", version };
    return { is: "keep", used };
  }
  return copied(rndcSecretName(instance), key, copy, version, rotatedAt);
}

function copied(
  name: string,
  key: RndcKey,
  copy: Secret | undefined,
  version: string,
  rotatedAt: string | undefined,
): KeyPlan {
  const used = { ...usedOf(name, key.name, key.algorithm, rotatedAt), version };
  const fields = { "key-name": key.name, secret: key.secret };
  const draft: Draft = { name, keyName: key.name, algorithm: key.algorithm, annotations: {}, fields };
  if (copy === undefined) return { is: "make", secret: draft, used };
  const held = keyIn(copy);
  const isSame = held?.name === key.name && held.secret === key.secret && held.algorithm === key.algorithm;
  return isSame && isComplete(copy)
    ? { is: "keep", used }
    : { is: "renew", old: copy, secret: draft, used, why: "other data" };
}
