// The keys of pods: from the Secrets that are watched, else read by name. What a server refused is read again.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Secret as SecretObject } from "@telltale/kinds/builtin";
import { Secret } from "@telltale/status";
import type { KeyReference, KeySource } from "./client.ts";
import type { TsigKey } from "./tsig.ts";

export interface SecretKeysOptions {
  /** Undefined: it is not there, or may not be read. */
  readonly read: (name: { readonly namespace: string; readonly name: string }) => Promise<SecretObject | undefined>;
  readonly clock: Clock;
}

const longest: Ms = 60_000;

export function secretKeys({ read, clock }: SecretKeysOptions): KeySource {
  const held = new Map<string, { readonly key: TsigKey; readonly at: Ms }>();
  return {
    async get(reference) {
      const place = placeOf(reference);
      const known = held.get(place);
      if (known !== undefined && clock.uptime() - known.at < longest) return known.key;
      held.delete(place);
      const { namespace, secret, field, name, algorithm } = reference;
      const found = (await read({ namespace, name: secret }))?.data?.[field];
      const text = found === undefined ? "" : Buffer.from(found, "base64").toString("utf8").trim();
      if (text === "") return undefined;
      const key = { name, algorithm, secret: new Secret(text) };
      held.set(place, { key, at: clock.uptime() });
      return key;
    },
    forget(reference) {
      held.delete(placeOf(reference));
    },
  };
}

const placeOf = ({ namespace, secret, field, name, algorithm }: KeyReference): string =>
  JSON.stringify([namespace, secret, field, name, algorithm]);
