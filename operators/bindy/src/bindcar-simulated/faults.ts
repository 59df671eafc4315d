// What goes wrong with a simulated Bindcar (11.1, 11.2): by a match on the request, for so many of them, by chance, or always.
import type { Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";

export type Action =
  | {
      readonly type: "status";
      readonly code: number;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly type: "refuse" } // nobody listens
  | { readonly type: "reset" } // the connection is cut after it was accepted
  | { readonly type: "hang" } // never answers
  | { readonly type: "slow" } // answers after `delayMs`
  | { readonly type: "garbage" } // bytes that are no HTTP
  | { readonly type: "truncate" } // half of the body
  | { readonly type: "wrongJson" } // JSON of another shape
  | { readonly type: "rateLimit" };

export interface Fault {
  readonly match?: { readonly method?: string; readonly path?: string; readonly zone?: string };
  readonly action: Action;
  /** So many requests meet it. Default: all. */
  readonly times?: number;
  /** So many pass before. Default: 0. */
  readonly skip?: number;
  /** Each n-th only. Default: 1. */
  readonly every?: number;
  readonly probability?: number;
  readonly delayMs?: Ms;
}

const coded = (code: string): Action => ({
  type: "status",
  code: 500,
  body: JSON.stringify({ error: "Internal server error", details: null, code }),
});

const status = (code: number): Fault => ({ action: { type: "status", code } });

export const presets = {
  "http-400": status(400),
  "http-401": status(401),
  "http-403": status(403),
  "http-404": status(404),
  "http-418": status(418),
  "http-429": { action: { type: "rateLimit" } },
  "http-500": status(500),
  "http-501": status(501),
  "http-502": status(502),
  "http-503": status(503),
  "http-504": status(504),
  refused: { action: { type: "refuse" } },
  reset: { action: { type: "reset" } },
  hang: { action: { type: "hang" } },
  "rndc-auth": { action: coded("RNDC_AUTH") },
  "rndc-connect": { action: coded("RNDC_CONNECT") },
  flap: { action: { type: "status", code: 503 }, every: 2 },
  lossy: { action: { type: "reset" }, probability: 0.2 },
} as const satisfies Readonly<Record<string, Fault>>;

export type Preset = keyof typeof presets;

export const isPreset = (name: unknown): name is Preset => typeof name === "string" && Object.hasOwn(presets, name);

export interface Met {
  readonly action: Action;
  readonly delay: Ms;
}

interface Active {
  readonly id: number;
  readonly fault: Fault;
  seen: number;
  hit: number;
}

export class Faults {
  readonly #random: Random;
  #active: readonly Active[] = [];
  #last = 0;
  #listeners: readonly (() => void)[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: Fault | Preset): number {
    const id = ++this.#last;
    this.#active = [
      ...this.#active,
      { id, fault: typeof fault === "string" ? presets[fault] : fault, seen: 0, hit: 0 },
    ];
    this.#tell();
    return id;
  }

  clear(id?: number): boolean {
    const before = this.#active.length;
    this.#active = id === undefined ? [] : this.#active.filter((it) => it.id !== id);
    this.#tell();
    return this.#active.length < before;
  }

  list(): readonly ({ readonly id: number } & Fault)[] {
    return this.#active.map(({ id, fault }) => ({ id, ...fault }));
  }

  /** Whether nobody is to listen at all. */
  get refuses(): boolean {
    return this.#active.some(({ fault }) => fault.action.type === "refuse");
  }

  /** The first fault that this request meets. Each that matches counts it. `named`: only those that say a method. */
  take(request: { readonly method: string; readonly path: string }, of: "any" | "named" = "any"): Met | undefined {
    let met: Met | undefined;
    for (const it of this.#active) {
      const { fault } = it;
      if (of === "named" && fault.match?.method === undefined) continue;
      if (!matches(fault, request)) continue;
      it.seen += 1;
      const { skip = 0, times = Number.POSITIVE_INFINITY, every = 1, probability = 1, action, delayMs = 0 } = fault;
      const isTurn = it.seen > skip && (it.seen - skip) % every === 0 && it.hit < times;
      if (met !== undefined || !isTurn || (probability < 1 && this.#random.next() >= probability)) continue;
      it.hit += 1;
      met = { action, delay: delayMs };
    }
    return met;
  }

  /** Called when a fault comes or goes. */
  onChange(listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function matches({ match = {} }: Fault, { method, path }: { readonly method: string; readonly path: string }): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path !== undefined && !new RegExp(match.path).test(path)) return false;
  return match.zone === undefined || /\/zones\/([^/]+)/.exec(path)?.[1] === match.zone;
}
