// What is known of Secrets. Nobody lists or watches them: each is read from the server by its name, when it is needed and again when
// what is known of it is old. Of TLS Secrets the certificates are kept in memory, for as long as their Provider is there; of all others
// only whether they exist.
import type { Instant, Ms } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import type { Provider } from "./kinds/index.ts";
import type { Name } from "./references.ts";
import { readTlsSecret } from "./wire/tls-secret.ts";
import type { TlsSecret } from "./wire/wire.ts";

export type Tls =
  | { readonly is: "plain" } // by choice
  | { readonly is: "secret"; readonly secret: TlsSecret }
  | { readonly is: "missing"; readonly why: SafeText };

/** So long what was read counts: by then a change is seen. */
const counts: Ms = 60_000;
/** Somebody waits for one that is not there. */
const countsMissing: Ms = 10_000;
/** Where there are many, each counts for longer: a server is asked for no more than ten a second of those with one use. */
const apart: Ms = 100;

type Read = Pick<Look, "live" | "now">;

export class KnownSecrets {
  readonly #tls = new Kept<{ readonly secret: string; readonly tls: Tls }>();
  readonly #others = new Kept<boolean>();

  /** With what a provider is asked. */
  async of({ metadata, spec }: Provider, look: Read): Promise<Tls> {
    const { tls } = spec.runtime.service ?? {};
    const { namespace = "", name: provider = "" } = metadata;
    const key = `${namespace}/${provider}`;
    const name = tls?.secretRef?.name ?? "";
    if (tls?.enabled === false || name === "") this.#tls.forget(key);
    if (tls?.enabled === false) return { is: "plain" };
    if (name === "") return { is: "missing", why: text`Provider ${namespace}/${provider} names no TLS Secret` };
    const known = this.#tls.fresh(key, look.now, ({ tls: it }) => (it.is === "missing" ? countsMissing : counts));
    if (known?.secret === name) return known.tls;
    const read = await this.#tls.learn(key, look.now, async () => {
      return { secret: name, tls: tlsOf(await look.live(Secret, { namespace, name }), { namespace, name }) };
    });
    return read.tls;
  }

  /** Whether a Secret exists. */
  async has({ namespace, name }: Name, look: Read): Promise<boolean> {
    const key = `${namespace}/${name}`;
    const known = this.#others.fresh(key, look.now, (isThere) => (isThere ? counts : countsMissing));
    if (known !== undefined) return known;
    this.#others.sweep(look.now, counts);
    return this.#others.learn(key, look.now, async () => (await look.live(Secret, { namespace, name })) !== undefined);
  }

  /** The Provider is gone: nothing of its Secret is kept. */
  forget(namespace: string, provider: string): void {
    this.#tls.forget(`${namespace}/${provider}`);
  }
}

function tlsOf(secret: Secret | undefined, { namespace, name }: Name): Tls {
  if (secret === undefined) return { is: "missing", why: text`TLS Secret ${namespace}/${name} not found` };
  const read = readTlsSecret(secret);
  return read.is === "usable" ? { is: "secret", secret: read.tls } : { is: "missing", why: text`${read.why}` };
}

interface Entry<T> {
  readonly at: Instant;
  /** Undefined: it is being read for the first time. */
  readonly value: T | undefined;
}

/** Values by key, with their age. While one is read anew, others have the old one. */
class Kept<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #swept: Instant | undefined;

  fresh(key: string, now: Instant, lasts: (value: T) => Ms): T | undefined {
    const { at, value } = this.#entries.get(key) ?? {};
    if (at === undefined || value === undefined) return undefined;
    // A time that is still to come is of a clock that was wrong.
    const age = now < at ? Number.POSITIVE_INFINITY : now - at;
    return age < Math.max(lasts(value), apart * this.#entries.size) ? value : undefined;
  }

  async learn(key: string, now: Instant, read: () => Promise<T>): Promise<T> {
    const before = this.#entries.get(key);
    const asking: Entry<T> = { at: now, value: before?.value };
    this.#entries.set(key, asking);
    // Whoever forgets it meanwhile has it forgotten.
    const settle = (entry: Entry<T> | undefined) => {
      if (this.#entries.get(key) !== asking) return;
      if (entry === undefined) this.#entries.delete(key);
      else this.#entries.set(key, entry);
    };
    try {
      const value = await read();
      settle({ at: now, value });
      return value;
    } catch (error) {
      settle(before);
      throw error;
    }
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops what nobody has asked for since it was read, from time to time. */
  sweep(now: Instant, every: Ms): void {
    const since = this.#swept ?? now;
    this.#swept = since > now ? now : since;
    if (now - since < every) return;
    this.#swept = now;
    const oldest = 2 * Math.max(every, apart * this.#entries.size);
    for (const [key, { at }] of this.#entries) if (at > now || now - at > oldest) this.#entries.delete(key);
  }
}
