// How controllers reach providers: one link per Provider, kept while its address, its TLS Secret and its settings stay the same, with
// everything between a controller and the wire: the breaker, the limits, the classes of errors. No call is repeated here.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Answer, Ask } from "../contract/contract.ts";
import type { Provider } from "../kinds/index.ts";
import type { Dial, TlsSecret } from "../wire/wire.ts";
import type { CallSample } from "./calls.ts";
import { Gateway } from "./gateway.ts";

/** A way to one provider. */
export interface Link {
  /** Throws `ProviderError`, and nothing else. */
  readonly ask: Ask;
  /** Whether the hypervisor answers: past an open breaker and past the limits, so that a recovery is seen. */
  probe(deadline: Ms, signal?: AbortSignal): Promise<Answer<"validate">>;
}

export interface LinksOptions {
  readonly dial: Dial;
  readonly clock: Clock;
  readonly onCall?: (sample: CallSample) => void;
}

export class Links {
  readonly #options: LinksOptions;
  readonly #gateways = new Map<string, Gateway>();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /** The way to a provider as it is now. What was kept for an earlier address or Secret is closed. */
  of(provider: Provider, tls?: TlsSecret): Link {
    const key = keyOf(provider.metadata?.namespace, provider.metadata?.name);
    const gateway = this.#gateways.get(key) ?? new Gateway(this.#options, provider);
    this.#gateways.set(key, gateway);
    gateway.reach(provider, tls);
    return gateway;
  }

  /** The Provider is gone: nothing is kept for it. */
  drop(namespace: string, name: string): void {
    const key = keyOf(namespace, name);
    this.#gateways.get(key)?.close();
    this.#gateways.delete(key);
  }
}

const keyOf = (namespace = "", name = ""): string => `${namespace}/${name}`;
