// A named in memory. Secondaries look at their primaries when they are asked, so that there is nothing to wait for and no timer.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Endpoint, endpointText } from "../bindcar/address.ts";
import type { RRset } from "../bindcar/contract.ts";
import type {
  Content,
  Definition,
  Edit,
  Modification,
  Nameserver,
  NewZone,
  ZoneOrder,
} from "../bindcar-server/nameserver.ts";
import { bad, failed, noSuchZone, zoneExists } from "../bindcar-server/refused.ts";
import { byKey, edited, isGreater, isUnloadable, ordered, type SimulatedZone, serialOf } from "./zone.ts";

export interface NameserverOptions {
  readonly clock: Clock;
  /** Its own address, by which primaries know it. Default: nobody asks for it. */
  readonly address?: string;
  /** The server that answers DNS there, if there is one: `10.0.0.1:5353`. */
  readonly serverAt?: (endpoint: string) => SimulatedNameserver | undefined;
}

export class SimulatedNameserver implements Nameserver {
  readonly #options: NameserverOptions;
  readonly #zones = new Map<string, SimulatedZone & { transferredAt?: Ms }>();

  constructor(options: NameserverOptions) {
    this.#options = options;
  }

  async status(): Promise<string> {
    return `version: BIND 9.18 (simulated)\nnumber of zones: ${this.#zones.size}\nserver is up and running`;
  }

  async checks() {
    return [{ name: "zone_dir", ok: true } as const, { name: "rndc", ok: true } as const];
  }

  async zones(): Promise<readonly string[]> {
    const all = [...this.#zones.values()].filter(({ type }) => type === "primary");
    return all.map(({ name }) => name).sort();
  }

  async add(made: NewZone): Promise<void> {
    if (this.#zones.has(made.zone)) throw zoneExists(made.zone);
    const rrsets = made.type === "primary" ? byKey(made.rrsets) : new Map<string, RRset>();
    if (made.type === "primary" && isUnloadable(made.zone, rrsets)) throw failed("ZONE_FILE", "bad zone");
    this.#zones.set(made.zone, {
      name: made.zone,
      type: made.type,
      rrsets,
      frozen: false,
      alsoNotify: made.alsoNotify,
      allowTransfer: made.allowTransfer,
      primaries: made.type === "secondary" ? made.primaries : [],
      updatable: made.type === "primary" && made.updateKey !== undefined,
    });
  }

  async remove(zone: string): Promise<void> {
    this.#find(zone);
    this.#zones.delete(zone);
  }

  async zoneStatus(name: string): Promise<string> {
    const zone = this.#find(name);
    const serial = serialOf(zone);
    const lines = [`name: ${name}`, `type: ${zone.type}`];
    if (zone.type === "primary") lines.push(`files: ${fileOf(name)}`);
    if (serial !== undefined) lines.push(`serial: ${serial}`, `nodes: ${zone.rrsets.size}`);
    if (zone.type === "primary")
      lines.push(`dynamic: ${zone.updatable ? "yes" : "no"}`, `frozen: ${zone.frozen ? "yes" : "no"}`);
    return lines.join("\n");
  }

  async definition(name: string): Promise<Definition> {
    const { type, alsoNotify, allowTransfer, primaries } = this.#find(name);
    return {
      type,
      ...(type === "primary" && { file: fileOf(name) }),
      alsoNotify: alsoNotify.map(endpointText),
      allowTransfer,
      primaries: primaries.map(endpointText),
    };
  }

  async modify(name: string, { alsoNotify, allowTransfer, allowUpdate, primaries }: Modification): Promise<void> {
    const zone = this.#find(name);
    if (zone.type === "primary" && primaries !== undefined) throw bad("a primary zone has no primaries");
    if (zone.type === "secondary" && allowUpdate !== undefined) throw bad("a secondary zone takes no updates");
    if (alsoNotify !== undefined) zone.alsoNotify = alsoNotify;
    if (allowTransfer !== undefined) zone.allowTransfer = allowTransfer;
    if (primaries !== undefined) zone.primaries = primaries;
    if (allowUpdate !== undefined) zone.updatable = allowUpdate.length > 0;
  }

  async order(name: string, order: ZoneOrder): Promise<string> {
    const zone = this.#find(name);
    const isPrimary = zone.type === "primary";
    if ((order === "freeze" || order === "thaw") && !isPrimary) throw bad(`Zone ${name} is not a primary zone`);
    if (order === "retransfer" && isPrimary) throw bad(`Zone ${name} is not a secondary zone`);
    if (order === "freeze") zone.frozen = true;
    if (order === "thaw") zone.frozen = false;
    if (order === "retransfer") this.#transfer(zone, "always");
    return "";
  }

  async read(name: string): Promise<Content> {
    const zone = this.#find(name);
    const serial = serialOf(zone);
    if (serial === undefined) throw failed("INTERNAL", "the zone is not loaded");
    return { serial, rrsets: ordered(zone.rrsets) };
  }

  /** Whether it takes updates of a zone now. */
  isUpdatable(name: string): boolean {
    const { type, frozen, updatable } = this.#find(name);
    return type === "primary" && updatable && !frozen;
  }

  async update(name: string, edits: readonly Edit[]): Promise<void> {
    const zone = this.#find(name);
    if (!this.isUpdatable(name)) throw failed("NSUPDATE_FAILED", "REFUSED");
    const next = edited(zone, edits);
    if (next === undefined) throw failed("NSUPDATE_FAILED", "REFUSED");
    zone.rrsets = next;
  }

  /** Everything is gone, as with a pod that lost its storage. */
  reset(): void {
    this.#zones.clear();
  }

  /** Begins anew on the same storage: what has no file is transferred again. */
  restart(): void {
    for (const zone of this.#zones.values()) {
      zone.frozen = false;
      if (zone.type === "secondary") zone.rrsets = new Map();
    }
  }

  /** Undefined takes it back. */
  pin(name: string, serial: number | undefined): void {
    const zone = this.#find(name);
    if (serial === undefined) delete zone.pinnedSerial;
    else zone.pinnedSerial = serial;
  }

  /** What a resolver would see. Undefined: the zone is not there (REFUSED), or not loaded (SERVFAIL). */
  answer(name: string, type: string): readonly RRset[] | "NXDOMAIN" | "REFUSED" | "SERVFAIL" {
    const zone = [...this.#zones.keys()]
      .filter((it) => `.${name}`.endsWith(`.${it}.`))
      .sort((a, b) => b.length - a.length)[0];
    if (zone === undefined) return "REFUSED";
    const rrsets = [...this.#find(zone).rrsets.values()];
    if (rrsets.length === 0) return "SERVFAIL";
    const named = rrsets.filter((it) => it.name === name);
    if (named.length === 0 && !rrsets.some((it) => it.name.endsWith(`.${name}`))) return "NXDOMAIN";
    return named.filter((it) => it.type === type || it.type === "CNAME");
  }

  #find(name: string): SimulatedZone & { transferredAt?: Ms } {
    const zone = this.#zones.get(name);
    if (zone === undefined) throw noSuchZone(name);
    if (zone.type === "secondary") this.#transfer(zone, "when due");
    return zone;
  }

  #transfer(zone: SimulatedZone & { transferredAt?: Ms }, when: "always" | "when due"): void {
    for (const primary of zone.primaries) {
      const source = this.#options.serverAt?.(endpointText(primary))?.handOut(zone.name, this.#options.address);
      if (source === undefined) continue;
      const have = serialOf(zone);
      const isDue = when === "always" || have === undefined || source.notifies || this.#isStale(zone);
      if (have !== undefined && !(isDue && isGreater(source.serial, have)) && when !== "always") continue;
      zone.rrsets = byKey(source.rrsets);
      zone.transferredAt = this.#options.clock.uptime();
      return;
    }
  }

  /** Nobody told it anything for as long as the SOA says that it waits. */
  #isStale({ name, rrsets, transferredAt = 0 }: SimulatedZone & { transferredAt?: Ms }): boolean {
    const refresh = Number(rrsets.get(`${name}. SOA`)?.values[0]?.split(" ")[3] ?? 0) * 1000;
    return this.#options.clock.uptime() - transferredAt >= refresh;
  }

  /** A zone for whoever asks from this address, if it may have it. */
  handOut(name: string, to: string | undefined): (Content & { readonly notifies: boolean }) | undefined {
    const zone = this.#zones.get(name);
    const serial = zone && serialOf(zone);
    if (zone === undefined || serial === undefined) return undefined;
    const knows = (list: readonly string[]) => to === undefined || list.includes(to);
    if (!knows(zone.allowTransfer)) return undefined;
    return { serial, rrsets: ordered(zone.rrsets), notifies: knows(zone.alsoNotify.map(({ text }: Endpoint) => text)) };
  }
}

const fileOf = (zone: string): string => `/var/cache/bind/${zone}.zone`;
