// Dynamic updates of simulated nameservers of this process: the simulated adapter of the port. It does what named does with a
// message, and what a connection makes of its answer.
import { unlessAborted } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { RRset } from "../bindcar/contract.ts";
import { recordValueOf } from "../bindcar/record-value.ts";
import type { Edit } from "../bindcar-server/nameserver.ts";
import type { UpdateServer, Updates } from "../dns-update/client.ts";
import type { Change, Prerequisite, Update } from "../dns-update/message.ts";
import type { UpdateOutcome, UpdateProblem } from "../dns-update/outcome.ts";
import type { DnsMethod, SimulatedBindcar } from "./bindcar.ts";

export interface SimulatedUpdatesOptions {
  /** Who is behind an endpoint; nobody: the connection is refused. */
  readonly find: (endpoint: string) => SimulatedBindcar | undefined;
  readonly clock: Clock;
}

export function simulatedUpdates({ find, clock }: SimulatedUpdatesOptions): Updates {
  async function exchange<T>(
    server: UpdateServer,
    method: DnsMethod,
    zone: string,
    signal: AbortSignal | undefined,
    answer: (it: SimulatedBindcar) => Promise<T | UpdateProblem>,
    isProblem: (value: T | UpdateProblem) => value is UpdateProblem,
  ): Promise<UpdateOutcome<T>> {
    const failed = (why: UpdateProblem): UpdateOutcome<T> => {
      const { key } = server;
      return { ok: false, trouble: { at: "update", why, ...(key !== undefined && { key }) } };
    };
    if (signal?.aborted === true) return failed("aborted");
    if (server.key === undefined) return failed("no key");
    const it = find(server.dns);
    if (it === undefined) return failed("refused");
    const met = it.meets(method, zone);
    switch (met?.action.type) {
      case "refuse":
        return failed("refused");
      case "reset":
        return failed("reset");
      case "garbage":
      case "wrongJson":
        return failed("malformed");
      case "hang":
        return unlessAborted(new Promise<never>(() => {}), signal ?? new AbortController().signal).catch(() =>
          failed("aborted"),
        );
      case "status":
        return failed(problems[met.action.code] ?? "failed");
      case "slow":
        await sleep(clock, met.delay, signal);
    }
    const value = await answer(it);
    // It was done, and nobody hears of it.
    if (met?.action.type === "truncate") return failed("reset");
    return isProblem(value) ? failed(value) : { ok: true, value };
  }

  return {
    send: (server, update, call = {}) =>
      exchange(
        server,
        update.changes.length === 0 ? "CHECK" : "UPDATE",
        update.zone,
        call.signal,
        (it) => carriedOut(it, update),
        (value): value is UpdateProblem => value !== "done" && value !== "unmet",
      ),
    apex: (server, zone, call = {}) =>
      exchange(
        server,
        "QUERY",
        zone,
        call.signal,
        async (it) => {
          const rrsets = await contentOf(it, zone);
          const found = rrsets?.filter(({ name, type }) => name === `${zone}.` && asked.includes(type)) ?? [];
          const soa = found.find(({ type }) => type === "SOA");
          return soa === undefined ? undefined : { soa, rrsets: found.filter((one) => one !== soa) };
        },
        (value): value is UpdateProblem => typeof value === "string",
      ),
  };
}

const asked = ["SOA", "NS", "DNSKEY", "CDS"];

/** By the code of a reply. */
const problems: Readonly<Record<number, UpdateProblem>> = { 5: "not allowed", 9: "key refused" };

const contentOf = (it: SimulatedBindcar, zone: string): Promise<readonly RRset[] | undefined> =>
  it.nameserver.read(zone).then(
    ({ rrsets }) => rrsets,
    () => undefined,
  );

async function carriedOut(it: SimulatedBindcar, update: Update): Promise<"done" | "unmet" | UpdateProblem> {
  const { zone, prerequisites, changes } = update;
  const rrsets = await contentOf(it, zone);
  if (rrsets === undefined) return "not authoritative";
  if (!it.nameserver.isUpdatable(zone)) return "not allowed";
  if (!prerequisites.every((one) => isMet(one, rrsets))) return "unmet";
  try {
    await it.nameserver.update(zone, changes.map(editOf));
    return "done";
  } catch {
    return "not allowed";
  }
}

function isMet(prerequisite: Prerequisite, rrsets: readonly RRset[]): boolean {
  const { name, rrtype } = prerequisite;
  const there = rrsets.find((it) => it.name === name && it.type === rrtype)?.values ?? [];
  if (prerequisite.type === "absent") return there.length === 0;
  const read = (value: string) => recordValueOf(rrtype, value) ?? value;
  const [have, want] = [there, prerequisite.values].map((values) => values.map(read).sort().join("\n"));
  return have === want;
}

function editOf(change: Change): Edit {
  const { name, rrtype: type } = change;
  if (change.type === "add") return { do: "add", name, type, ttl: change.ttl, value: change.value };
  return { do: "delete", name, type, ...(change.type === "deleteValue" && { value: change.value }) };
}
