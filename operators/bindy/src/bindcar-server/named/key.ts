// A TSIG key, as it is configured and as BIND reads it (12.5). The secret is shown to nobody: it goes into files that only we read.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "@telltale/status";
import { keyNameOf } from "../../bindcar/dns-name.ts";
import { statementsOf } from "./statements.ts";

export interface TsigKey {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly secret: Secret;
}

export const algorithms = ["hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512"] as const;
export type Algorithm = (typeof algorithms)[number];

/** With or without `hmac-`. Not md5 and not sha1. */
export function algorithmOf(text: string): Algorithm | undefined {
  const full = text.startsWith("hmac-") ? text : `hmac-${text}`;
  return algorithms.find((it) => it === full.toLowerCase());
}

export const isBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);

/** The text of a file like `rndc.key`: what is no key of a kind that we use is undefined. */
export function keyOf(text: string): TsigKey | undefined {
  // In quotes nothing is a comment: one secret in a hundred has two slashes in a row.
  const plain = text.replace(/"[^"]*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g, (it) => (it.startsWith('"') ? it : " "));
  const key = statementsOf(plain)?.find(({ words }) => words[0] === "key");
  const wordIn = (name: string): string => {
    const word = key?.block?.find(({ words }) => words[0] === name)?.words[1];
    return typeof word === "object" ? word.quoted : (word ?? "");
  };
  const given = key?.words[1];
  const name = keyNameOf(typeof given === "object" ? given.quoted : (given ?? ""));
  const algorithm = algorithmOf(wordIn("algorithm"));
  const secret = wordIn("secret");
  return name === undefined || algorithm === undefined || !isBase64(secret)
    ? undefined
    : { name, algorithm, secret: new Secret(secret) };
}

export const keyText = ({ name, algorithm, secret }: TsigKey): string =>
  `key "${name}" { algorithm ${algorithm}; secret "${secret.reveal()}"; };\n`;

export interface KeyFiles {
  readonly rndcConf: string;
  readonly updateKey: string;
  remove(): Promise<void>;
}

export interface KeyFileOptions {
  /** A folder for temporary files. */
  readonly folder: string;
  readonly rndc: { readonly server: string; readonly port: number; readonly key: TsigKey };
  readonly update: TsigKey;
}

/** In a folder that only we can enter, until we end. */
export async function writeKeys({ folder, rndc, update }: KeyFileOptions): Promise<KeyFiles> {
  const own = await mkdtemp(join(folder, "bindcar-"));
  const [rndcConf, updateKey] = [join(own, "rndc.conf"), join(own, "update.key")];
  const { server, port, key } = rndc;
  const options = `options { default-server ${server}; default-port ${port}; default-key "${key.name}"; };\n`;
  await writeFile(rndcConf, keyText(key) + options, { mode: 0o600, flag: "wx" });
  await writeFile(updateKey, keyText(update), { mode: 0o600, flag: "wx" });
  return { rndcConf, updateKey, remove: () => rm(own, { recursive: true, force: true }) };
}
