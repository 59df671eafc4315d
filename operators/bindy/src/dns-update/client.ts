// Dynamic updates of a zone on one server, signed with the key that its pod was given (RFC 2136, RFC 8945). For servers whose
// Bindcar cannot change a zone's content in one step. A call never throws for what a server does: how it ended is a value.
import type { Clock } from "@telltale/clock";
import type { CallOptions } from "../bindcar/client.ts";
import type { Outcome, Trouble } from "../bindcar/outcome.ts";
import { Unreached } from "../bindcar/wire.ts";
import { queryMessage, type Reply, rcodes, readName, readReply, type Update, updateMessage } from "./message.ts";
import { typeCodes } from "./rdata.ts";
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
  send(server: UpdateServer, update: Update, call?: CallOptions): Promise<Outcome<"done" | "unmet">>;
  /** The name servers that the zone itself names. Undefined: the server does not tell us. */
  nameServers(server: UpdateServer, zone: string, call?: CallOptions): Promise<Outcome<readonly string[] | undefined>>;
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

  async function exchange(server: UpdateServer, message: Buffer, signal: AbortSignal): Promise<Outcome<Reply>> {
    const { key: reference, dns } = server;
    const key = reference === undefined ? undefined : await keys.get(reference);
    if (reference === undefined || key === undefined) return failed(notPossible);
    const { message: signed, mac } = sign(message, key, secondsOf(clock));
    const bytes = await wire.send(dns, signed, signal);
    const reply = readReply(bytes);
    if (reply === undefined || reply.id !== message.readUInt16BE(0)) return failed(malformed);
    if (reply.rcode === rcodes.notAuth && errorIn(bytes, reply) !== 0) {
      keys.forget(reference);
      return failed(notAuthenticated);
    }
    // Anyone on the way could have written it.
    if (!isFrom(bytes, reply, key, mac, secondsOf(clock))) return failed(malformed);
    return { ok: true, value: reply };
  }

  async function guarded<T>({ signal }: CallOptions, ask: (signal: AbortSignal) => Promise<Outcome<T>>) {
    const ending = signal ?? new AbortController().signal;
    try {
      return await ask(ending);
    } catch (error) {
      if (ending.aborted) return failed({ at: "aborted" });
      return failed({ at: "unreachable", why: error instanceof Unreached ? error.why : "failed" });
    }
  }

  return {
    send: (server, update, call = {}) =>
      guarded(call, async (signal): Promise<Outcome<"done" | "unmet">> => {
        const message = updateMessage(update, nextId());
        if (message.length > maxMessage) return failed(tooLarge);
        const reply = await exchange(server, message, signal);
        if (!reply.ok) return reply;
        const { rcode } = reply.value;
        if (rcode === rcodes.noError) return { ok: true, value: "done" };
        const isUnmet: boolean = unmet.some((code) => code === rcode);
        return isUnmet ? { ok: true, value: "unmet" } : failed(refused);
      }),
    nameServers: (server, zone, call = {}) =>
      guarded(call, async (signal): Promise<Outcome<readonly string[] | undefined>> => {
        const message = queryMessage(`${zone}.`, "NS", nextId());
        const bytes = await wire.send(server.dns, message, signal);
        const reply = readReply(bytes);
        if (reply === undefined || reply.id !== message.readUInt16BE(0)) return failed(malformed);
        if (reply.rcode !== rcodes.noError) return { ok: true, value: undefined };
        const found = reply.answers.filter(({ type, name }) => type === typeCodes.NS && name === `${zone}.`);
        return { ok: true, value: found.map(({ dataStart }) => readName(bytes, dataStart).name) };
      }),
  };
}

/** With room for the signature. */
export const maxMessage = 64_000;

const unmet = [rcodes.nxRRset, rcodes.yxRRset, rcodes.nxDomain, rcodes.yxDomain];

const failed = (trouble: Trouble): { readonly ok: false; readonly trouble: Trouble } => ({ ok: false, trouble });

const malformed: Trouble = { at: "unreachable", why: "malformed" };
const refused: Trouble = { at: "answered", status: 500, code: "NSUPDATE_FAILED" };
const notAuthenticated: Trouble = { at: "answered", status: 500, code: "RNDC_AUTH" };
const tooLarge: Trouble = { at: "answered", status: 413 };
/** Neither has Bindcar a way, nor do we have the key. */
const notPossible: Trouble = { at: "answered", status: 501 };

const secondsOf = (clock: Clock): number => Math.floor(clock.now() / 1000);
