// Amounts by name, as a ResourceQuota and the resources of a container hold them: read, added up, compared, written.
import { formatQuantity, parseQuantity, type Quantity } from "../values/quantity.ts";
import { isRecord } from "./fields.ts";

/** `pods`, `requests.cpu`, `count/deployments.apps`, and how much. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** What a field such as `requests` or `status.used` holds. What is no amount is left out. */
export function amountsIn(value: unknown): Amounts {
  const found = new Map<string, Quantity>();
  for (const [name, given] of Object.entries(isRecord(value) ? value : {})) {
    const amount = typeof given === "string" || typeof given === "number" ? parseQuantity(given) : undefined;
    if (amount !== undefined) found.set(name, amount);
  }
  return found;
}

/** `n` of something that is counted. */
export const quantityOf = (n: number): Quantity => ({ nano: BigInt(n) * 1_000_000_000n, format: "DecimalSI" });

/** Every name of both. A sum is written as its first part was, where that was anything. */
export function sum(a: Amounts, b: Amounts): Amounts {
  return joined(a, b, (x, y) => ({ nano: x.nano + y.nano, format: (x.nano === 0n ? y : x).format }));
}

/** The larger one of each name. */
export function larger(a: Amounts, b: Amounts): Amounts {
  return joined(a, b, (x, y) => (y.nano > x.nano ? y : x));
}

function joined(a: Amounts, b: Amounts, both: (x: Quantity, y: Quantity) => Quantity): Amounts {
  const all = new Map(a);
  for (const [name, amount] of b) {
    const known = all.get(name);
    all.set(name, known === undefined ? amount : both(known, amount));
  }
  return all;
}

/** How much more the first is than the second, of each name of the first; never less than nothing. */
export function growth(after: Amounts, before: Amounts): Amounts {
  const more = [...after].map(([name, { nano, format }]) => {
    const grown = nano - (before.get(name)?.nano ?? 0n);
    return [name, { nano: grown > 0n ? grown : 0n, format }] as const;
  });
  return new Map(more);
}

/** The amounts of these names only. */
export function only(amounts: Amounts, names: Iterable<string>): Amounts {
  const kept = new Map<string, Quantity>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) kept.set(name, amount);
  }
  return kept;
}

/** As they are written in an object, by name. */
export function written(amounts: Amounts): Record<string, string> {
  const names = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(names.map(([name, amount]) => [name, formatQuantity(amount)]));
}
