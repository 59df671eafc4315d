// Secrets of the namespaces where instances are: one watch in each, of ours only. Nobody has to be given the right to read the
// Secrets of a whole cluster (8.1, 12.1). What is not known here is asked for by name.
import { createClient, isForbidden, isNotFound, type Transport } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { Cache, type Cached, type Log, type Name, type Source } from "@telltale/runtime";
import { parts } from "../names.ts";

export interface SecretsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export class Secrets {
  readonly #options: SecretsOptions;
  readonly #held = new Map<string, Cached<Secret>>();
  #cache: Cache | undefined;
  #wake: ((name: Name) => void) | undefined;

  constructor(options: SecretsOptions) {
    this.#options = options;
  }

  /** For the controller of instances: a Secret of one was changed or is gone. */
  readonly source: Source = (wake) => {
    const { transport, clock, random, log } = this.#options;
    const client = createClient({ transport, clock, random });
    this.#wake = wake;
    this.#cache = new Cache({ client, clock, random, log, sink: () => {} });
    this.#cache.start();
    return () => {
      this.#wake = undefined;
      for (const held of this.#held.values()) held.release();
      this.#held.clear();
      this.#cache = undefined;
    };
  };

  /** Undefined: it is not there, or not known here. */
  get({ namespace = "", name }: Name): Secret | undefined {
    return this.#in(namespace)?.store.get({ namespace, name });
  }

  /** For who works on zones. Undefined: it is not there, or we may not read it. */
  async read(name: Required<Name>): Promise<Secret | undefined> {
    const known = this.get(name);
    if (known !== undefined) return known;
    const { transport, clock, random } = this.#options;
    const client = createClient({ transport, clock, random });
    try {
      return await client.get(Secret, name.name, { namespace: name.namespace });
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    }
  }

  /** We wrote it ourselves: it is known before the watch tells. */
  wrote(secret: Secret): void {
    this.#cache?.wrote(Secret, secret);
  }

  #in(namespace: string): Cached<Secret> | undefined {
    const known = this.#held.get(namespace);
    if (known !== undefined || this.#cache === undefined) return known;
    const opened = this.#cache.of(Secret, { namespace, ...parts });
    opened.store.subscribe(({ old, new: next }) => {
      // A new one that is an instance's was made in a pass over it.
      if (!opened.isSynced() || old === undefined) return;
      const owner = instanceOf(next ?? old);
      if (owner !== undefined) this.#wake?.({ namespace, name: owner });
    });
    this.#held.set(namespace, opened);
    return opened;
  }
}

const instanceOf = (secret: KubeObject | undefined): string | undefined =>
  secret?.metadata?.ownerReferences?.find(({ controller, kind }) => controller === true && kind === "Bind9Instance")
    ?.name;
