// Dynamic updates of a zone on one server, signed with the key that its pod was given (RFC 2136, RFC 8945). For servers whose
// Bindcar cannot change a zone's content in one step. A call never throws for what a server does: how it ended is a value.
import type { Clock } from "@telltale/clock";
import type { CallOptions } from "../bindcar/client.ts";
import type { RRset } from "../bindcar/contract.ts";
import { Unreached } from "../bindcar/wire.ts";
import { queryMessage, type Reply, rcodes, readReply, type Update, updateMessage } from "./message.ts";
import type { UpdateOutcome, UpdateProblem } from "./outcome.ts";
import { rrsetIn } from "./read-data.ts";
import type { DnsWire } from "./tcp.ts";
import { errorIn, isFrom, sign, type TsigKey } from "./tsig.ts";

/** Where the key of a pod is: what its containers were told. */
export interface KeyReference {
  readonly namespace: string;
  readonly secret: string;
  readonly field: string;
  readonly name: string;
  readonly algorithm: string;
}

export interface UpdateServer {
  /** `ip:port` */
  readonly dns: string;
  readonly key?: KeyReference;
}

export interface Updates {
  /** All of it or nothing. `unmet`: a prerequisite does not hold, and nothing was done. */
  send(server: UpdateServer, update: Update, call?: CallOptions): Promise<UpdateOutcome<"done" | "unmet">>;
  /** What the zone says of itself. Undefined: the server does not tell us. */
  apex(server: UpdateServer, zone: string, call?: CallOptions): Promise<UpdateOutcome<Apex | undefined>>;
}

export interface Apex {
  readonly soa: RRset;
  /** Those of the types that are asked for, as far as there are any: NS, DNSKEY, CDS. */
  readonly rrsets: readonly RRset[];
}

export interface KeySource {
  /** Undefined: there is none, or it cannot be read. */
  get(key: KeyReference): Promise<TsigKey | undefined>;
  /** It was refused: the next call reads again. */
  forget(key: KeyReference): void;
}

export interface UpdatesOptions {
  readonly wire: DnsWire;
  readonly keys: KeySource;
  readonly clock: Clock;
}

export function dnsUpdates({ wire, keys, clock }: UpdatesOptions): Updates {
  // By TCP and signed: nobody has to guess it.
  let id = 0;
  const nextId = (): number => {
    id = (id + 1) % 65_536;
    return id;
  };

  async function exchange(server: UpdateServer, message: Buffer, signal: AbortSignal): Promise<UpdateOutcome<Read>> {
    const { key: reference, dns } = server;
    const key = reference === undefined ? undefined : await keys.get(reference);
    if (reference === undefined || key === undefined) return failed(server, "no key");
    const { message: signed, mac } = sign(message, key, secondsOf(clock));
    const bytes = await wire.send(dns, signed, signal);
    const reply = readReply(bytes);
    if (reply === undefined || reply.id !== message.readUInt16BE(0)) return failed(server, "malformed");
    if (reply.rcode === rcodes.notAuth && (errorIn(bytes, reply) ?? 0) !== 0) {
      keys.forget(reference);
      return failed(server, "key refused");
    }
    // Anyone on the way could have written it.
    if (!isFrom(bytes, reply, key, mac, secondsOf(clock))) return failed(server, "malformed");
    return { ok: true, value: { bytes, reply } };
  }

  async function guarded<T>(
    server: UpdateServer,
    { signal }: CallOptions,
    ask: (signal: AbortSignal) => Promise<UpdateOutcome<T>>,
  ): Promise<UpdateOutcome<T>> {
    const ending = signal ?? new AbortController().signal;
    try {
      return await ask(ending);
    } catch (error) {
      if (ending.aborted) return failed(server, "aborted");
      return failed(server, error instanceof Unreached ? error.why : "failed");
    }
  }

  async function ask(server: UpdateServer, zone: string, type: (typeof asked)[number], signal: AbortSignal) {
    const answer = await exchange(server, queryMessage(`${zone}.`, type, nextId()), signal);
    if (!answer.ok) return answer;
    const { bytes, reply } = answer.value;
    const rrset = reply.rcode === rcodes.noError ? rrsetIn(bytes, reply, `${zone}.`, type) : undefined;
    return { ok: true, value: rrset } as const;
  }

  return {
    send: (server, update, call = {}) =>
      guarded(server, call, async (signal): Promise<UpdateOutcome<"done" | "unmet">> => {
        const message = updateMessage(update, nextId());
        if (message.length > maxMessage) return failed(server, "too large");
        const answer = await exchange(server, message, signal);
        if (!answer.ok) return answer;
        const { rcode } = answer.value.reply;
        if (rcode === rcodes.noError) return { ok: true, value: "done" };
        const isUnmet: boolean = unmet.some((code) => code === rcode);
        return isUnmet ? { ok: true, value: "unmet" } : failed(server, refusals[rcode] ?? "failed");
      }),
    apex: (server, zone, call = {}) =>
      guarded(server, call, async (signal): Promise<UpdateOutcome<Apex | undefined>> => {
        const answers = await Promise.all(asked.map((type) => ask(server, zone, type, signal)));
        const found: RRset[] = [];
        for (const answer of answers) {
          if (!answer.ok) return answer;
          if (answer.value !== undefined) found.push(answer.value);
        }
        const soa = found.find(({ type }) => type === "SOA");
        const rrsets = found.filter((it) => it !== soa);
        return { ok: true, value: soa === undefined ? undefined : { soa, rrsets } };
      }),
  };
}

interface Read {
  readonly bytes: Buffer;
  readonly reply: Reply;
}

const asked = ["SOA", "NS", "DNSKEY", "CDS"] as const;

/** With room for the signature. */
export const maxMessage = 64_000;

const unmet = [rcodes.nxRRset, rcodes.yxRRset, rcodes.nxDomain, rcodes.yxDomain];

const refusals: Readonly<Record<number, UpdateProblem>> = {
  [rcodes.refused]: "not allowed",
  [rcodes.notAuth]: "not authoritative",
};

const failed = ({ key }: UpdateServer, why: UpdateProblem) =>
  ({ ok: false, trouble: { at: "update", why, ...(key !== undefined && { key }) } }) as const;

const secondsOf = (clock: Clock): number => Math.floor(clock.now() / 1000);
