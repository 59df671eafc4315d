// Who has which address on a network. Pure: from who asks, what is held, and where addresses come from. One address is given to
// one card; what somebody holds they keep; of several newcomers the oldest machine comes first.
import { addressIn, formatIpv4, type Ipv4 } from "../ipv4.ts";
import { lowest, offers, type Pool } from "./pool.ts";

/** One card of one machine on the network. */
export interface Card {
  /** `namespace/name` of the machine. */
  readonly vm: string;
  /** When the machine was declared, as it is stored. */
  readonly since: string;
  /** Whether the hypervisor has the machine: then the address is in use, whatever becomes of the pool. */
  readonly isMade: boolean;
  /** The machine asks for this one. */
  readonly ip?: Ipv4;
  readonly mac?: string;
  /** What the machine was seen with. */
  readonly seen: readonly string[];
}

/** Where a card gets its address from that does not ask for one. */
export type Supply =
  | { readonly is: "none" }
  | { readonly is: "seen" } // DHCP: whatever the machine was seen with, for information
  | { readonly is: "static"; readonly ip: Ipv4 }
  | { readonly is: "missing" } // a pool that is not there
  | { readonly is: "pool"; readonly pool: Pool; readonly preferred?: Ipv4 };

/** One entry of `status.ipAllocations`. Without `allocatedAt` it is information only. */
export interface Allocation {
  readonly vm: string;
  readonly ip: string;
  readonly mac?: string;
  readonly allocatedAt?: string;
  readonly leaseExpiry?: string;
}

export interface Allocated {
  readonly allocations: readonly Allocation[];
  /** Cards whose address somebody else has. */
  readonly conflicts: readonly Conflict[];
  /** Machines that wait for an address of the pool. */
  readonly waiting: readonly string[];
}

export interface Conflict {
  readonly ip: string;
  readonly vm: string;
  readonly holder: string;
}

/** More do not fit into one object: what is held is kept, and newcomers wait. */
export const mostAllocations = 4_000;

export function allocate(cards: readonly Card[], held: readonly Allocation[], supply: Supply, now: string): Allocated {
  const asking = [...cards].sort(byAge);
  const taken = new Map<Ipv4, Card>();
  const given = new Map<Card, Ipv4>();
  const give = (card: Card, ip: Ipv4): boolean => {
    if (taken.has(ip) || taken.size >= mostAllocations) return false;
    taken.set(ip, card);
    given.set(card, ip);
    return true;
  };
  const stock = new Stock(held);
  keepHeld(asking, supply, stock, give);
  const conflicts: Conflict[] = [];
  const crowded: Card[] = [];
  for (const card of asking) {
    const ip = fixedIp(card, supply);
    if (ip === undefined || given.has(card) || give(card, ip)) continue;
    const holder = taken.get(ip);
    if (holder === undefined) crowded.push(card);
    else conflicts.push({ ip: formatIpv4(ip), vm: card.vm, holder: holder.vm });
  }
  const unserved = asking.filter((card) => fixedIp(card, supply) === undefined && !given.has(card));
  const left = isPooled(supply) ? fill(unserved, supply, taken, give) : [];
  const allocations = asking.flatMap((card) => {
    const ip = given.get(card);
    return ip === undefined ? [] : [entry(card, formatIpv4(ip), stock, now)];
  });
  const seen = supply.is === "seen" ? informed(unserved).slice(0, mostAllocations - allocations.length) : [];
  const waiting = [...new Set([...crowded, ...left].map(({ vm }) => vm))].sort();
  return { allocations: [...allocations, ...seen].sort(byName), conflicts, waiting };
}

const isPooled = (supply: Supply): supply is Extract<Supply, { is: "pool" | "missing" }> =>
  supply.is === "pool" || supply.is === "missing";

const fixedIp = ({ ip }: Card, supply: Supply): Ipv4 | undefined =>
  ip ?? (supply.is === "static" ? supply.ip : undefined);

/** What is stored, by machine. Each entry goes to one card. */
class Stock {
  readonly #entries = new Map<string, Allocation[]>();
  readonly #since = new Map<string, string>();

  constructor(held: readonly Allocation[]) {
    for (const entry of held) {
      if (entry.allocatedAt === undefined) continue;
      const of = this.#entries.get(entry.vm) ?? [];
      of.push(entry);
      this.#entries.set(entry.vm, of);
      this.#since.set(`${entry.vm} ${entry.ip}`, entry.allocatedAt);
    }
  }

  take(vm: string, fits: (entry: Allocation) => boolean): Ipv4 | undefined {
    const of = this.#entries.get(vm) ?? [];
    const at = of.findIndex(fits);
    const [found] = at < 0 ? [] : of.splice(at, 1);
    return found === undefined ? undefined : addressIn(found.ip);
  }

  since(vm: string, ip: string): string | undefined {
    return this.#since.get(`${vm} ${ip}`);
  }
}

/** First those who ask for what they hold, so that none of their other cards takes it; then those who take what comes. */
function keepHeld(
  asking: readonly Card[],
  supply: Supply,
  stock: Stock,
  give: (card: Card, ip: Ipv4) => boolean,
): void {
  for (const card of asking) {
    const ip = fixedIp(card, supply);
    if (ip !== undefined && stock.take(card.vm, (entry) => addressIn(entry.ip) === ip) !== undefined) give(card, ip);
  }
  if (!isPooled(supply)) return;
  for (const card of asking) {
    if (fixedIp(card, supply) !== undefined) continue;
    const ip =
      (card.mac === undefined ? undefined : stock.take(card.vm, ({ mac }) => mac === card.mac)) ??
      stock.take(card.vm, ({ mac }) => mac === undefined || mac === card.mac);
    if (ip !== undefined && (card.isMade || supply.is === "missing" || offers(supply.pool, ip))) give(card, ip);
  }
}

/** Gives each the lowest free address. Says who gets none. */
function fill(
  asking: readonly Card[],
  supply: Extract<Supply, { is: "pool" | "missing" }>,
  taken: ReadonlyMap<Ipv4, Card>,
  give: (card: Card, ip: Ipv4) => boolean,
): readonly Card[] {
  if (supply.is === "missing") return asking;
  const { pool, preferred } = supply;
  const next = lowest(pool, (ip) => taken.has(ip));
  for (const [i, card] of asking.entries()) {
    if (preferred !== undefined && offers(pool, preferred) && give(card, preferred)) continue;
    const { value } = next.next();
    if (value === undefined || !give(card, value)) return asking.slice(i);
  }
  return [];
}

function entry({ vm, mac }: Card, ip: string, stock: Stock, now: string): Allocation {
  return { vm, ip, ...(mac === undefined ? {} : { mac }), allocatedAt: stock.since(vm, ip) ?? now };
}

/** What machines were seen with. Which of a machine's cards has which address nobody says. */
function informed(cards: readonly Card[]): readonly Allocation[] {
  const machines = new Map(cards.map((card) => [card.vm, card.seen]));
  return [...machines].flatMap(([vm, seen]) => seen.map((ip) => ({ vm, ip })));
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Cards of one machine stay in the order of its spec: sorting is stable. */
const byAge = (a: Card, b: Card): number => order(a.since, b.since) || order(a.vm, b.vm);
const byName = (a: Allocation, b: Allocation): number => order(a.vm, b.vm);
