// The text of a key as BIND writes it, and what is in a Secret of one. Nothing here decides whether a key is made.
import { deepEqual } from "@telltale/kinds";
import type { Secret } from "@telltale/kinds/builtin";
import { patterns } from "../kinds/index.ts";

export interface RndcKey {
  readonly name: string;
  readonly algorithm: string;
  /** In base64. */
  readonly secret: string;
}

/** The name of keys that are made here. */
export const generatedKeyName = "bindy-operator";

/** The fields of a Secret with a key, unencoded. */
export const keyData = (key: RndcKey): Readonly<Record<string, string>> => ({
  "key-name": key.name,
  algorithm: key.algorithm,
  secret: key.secret,
  "rndc.key": keyStatement(key),
});

export function keyStatement({ name, algorithm, secret }: RndcKey): string {
  const key = { name, algorithm, secret };
  if (!isSound(key)) throw new TypeError("a key that BIND could not read must not reach its configuration");
  return `key "${name}" {\n\talgorithm ${algorithm};\n\tsecret "${secret}";\n};\n`;
}

export interface KeyFields {
  readonly keyNameKey?: string;
  readonly secretKey?: string;
  readonly algorithm?: string;
}

/** The key in a Secret: from its three fields, else from its `rndc.key`. Undefined: there is none that could be used. */
export function keyIn({ data = {} }: Secret, fields: KeyFields = {}): RndcKey | undefined {
  const { keyNameKey = "key-name", secretKey = "secret", algorithm } = fields;
  const field = (name: string) => textOf(data[name]);
  const [name, secret] = [field(keyNameKey), field(secretKey)];
  const written = parseKey(field("rndc.key") ?? "");
  const key =
    name !== undefined && secret !== undefined
      ? { name, secret, algorithm: field("algorithm") ?? written?.algorithm ?? algorithm ?? "hmac-sha256" }
      : written;
  return key !== undefined && isSound(key) ? key : undefined;
}

/** Whether a pod can use the Secret as it is: it reads both the file and the fields, and finds one and the same key. */
export function isComplete(secret: Secret, fields: KeyFields = {}): boolean {
  const written = keyFile(secret);
  return (
    written !== undefined &&
    deepEqual(written, keyIn(secret, fields)) &&
    secret.data?.[fields.secretKey ?? "secret"] !== undefined
  );
}

/** The key in the file that named includes as it is: nothing else may be in there. */
export const keyFile = ({ data = {} }: Secret): RndcKey | undefined => parseKey(textOf(data["rndc.key"]) ?? "");

const statement = /^\s*key\s+"?([A-Za-z0-9._-]{1,253})"?\s*\{([^{}]*)\}\s*;\s*$/;
const algorithmFirst = /^\s*algorithm\s+"?([A-Za-z0-9-]+)"?\s*;\s*secret\s+"([^"]*)"\s*;\s*$/;
const secretFirst = /^\s*secret\s+"([^"]*)"\s*;\s*algorithm\s+"?([A-Za-z0-9-]+)"?\s*;\s*$/;

export function parseKey(text: string): RndcKey | undefined {
  const [, name, body = ""] = statement.exec(text) ?? [];
  const [, first, second] = algorithmFirst.exec(body) ?? secretFirst.exec(body) ?? [];
  const [algorithm, secret] = algorithmFirst.test(body) ? [first, second] : [second, first];
  if (name === undefined || algorithm === undefined || secret === undefined) return undefined;
  const key = { name, algorithm: algorithm.toLowerCase(), secret };
  return isSound(key) ? key : undefined;
}

const keyName = new RegExp(patterns.keyName);
/** SHA-1 and MD5 are refused: Bindcar refuses them too. */
const algorithms = ["hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"];

export const isSound = ({ name, algorithm, secret }: RndcKey): boolean =>
  keyName.test(name) && algorithms.includes(algorithm) && /^[A-Za-z0-9+/]{4,1024}={0,2}$/.test(secret);

/** Line ends at the end are those of whoever made the Secret with a shell. */
const textOf = (base64: string | undefined): string | undefined =>
  base64 === undefined
    ? undefined
    : Buffer.from(base64, "base64")
        .toString("utf8")
        .replace(/[\r\n]+$/, "");

export const encoded = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
