// The operator's side of the contract: calls of one pod's Bindcar, with the timeouts, retries and exceptions of 6.2 and 6.3.
// A call never throws for what a pod does: how it ended is a value.
import { type Clock, type Random, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import {
  type AddRecord,
  basePath,
  type CreateZone,
  type Health,
  type ModifyZone,
  type PutRRsets,
  type PutRRsetsResponse,
  type RemoveRecord,
  type RRsets,
  type UpdateRecord,
  type ZoneInfo,
  type ZoneList,
} from "./contract.ts";
import { answered, type Outcome, type Trouble } from "./outcome.ts";
import { type Read, read, readers } from "./read.ts";
import { isUnauthorized, retryDelay } from "./retry.ts";
import type { TokenSource } from "./token.ts";
import { Unreached, type Wire, type WireAnswer, type WireRequest } from "./wire.ts";
import type { ZoneStatus } from "./zone-status.ts";

export interface BindcarOptions {
  readonly wire: Wire;
  readonly token: TokenSource;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each attempt: the HTTP status, or 0 where none came. */
  readonly onAttempt?: (status: number) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For each attempt. Default: 30 s. */
  readonly timeout?: Ms;
  /** `once`: no second attempt, not even after a 401. Default: as 6.3 says. */
  readonly attempts?: "once" | "policy";
}

export interface Bindcar {
  /** The Bindcar that listens there: `ip:port`. */
  at(endpoint: string): BindcarPod;
}

export interface BindcarPod {
  health(call?: CallOptions): Promise<Outcome<Health>>;
  /** What `rndc status` says. */
  serverStatus(call?: CallOptions): Promise<Outcome<string>>;
  zones(call?: CallOptions): Promise<Outcome<ZoneList>>;
  zone(zone: string, call?: CallOptions): Promise<Outcome<ZoneInfo>>;
  zoneStatus(zone: string, call?: CallOptions): Promise<Outcome<ZoneStatus>>;
  createZone(body: CreateZone, call?: CallOptions): Promise<Outcome<"created" | "exists">>;
  modifyZone(zone: string, body: ModifyZone, call?: CallOptions): Promise<Outcome<void>>;
  deleteZone(zone: string, call?: CallOptions): Promise<Outcome<"deleted" | "absent">>;
  reload(zone: string, call?: CallOptions): Promise<Outcome<void>>;
  freeze(zone: string, call?: CallOptions): Promise<Outcome<void>>;
  thaw(zone: string, call?: CallOptions): Promise<Outcome<void>>;
  notify(zone: string, call?: CallOptions): Promise<Outcome<void>>;
  retransfer(zone: string, call?: CallOptions): Promise<Outcome<void>>;
  rrsets(zone: string, call?: CallOptions): Promise<Outcome<RRsets>>;
  putRRsets(zone: string, body: PutRRsets, call?: CallOptions): Promise<Outcome<PutRRsetsResponse>>;
  addRecord(zone: string, body: AddRecord, call?: CallOptions): Promise<Outcome<void>>;
  updateRecord(zone: string, body: UpdateRecord, call?: CallOptions): Promise<Outcome<void>>;
  /** Also when there was none. */
  removeRecord(zone: string, body: RemoveRecord, call?: CallOptions): Promise<Outcome<void>>;
}

export function bindcarClient(options: BindcarOptions): Bindcar {
  return { at: (endpoint) => podOf((ask, call) => exchange(options, endpoint, ask, call)) };
}

/** One call, before it has an address. */
interface Ask {
  readonly method: WireRequest["method"];
  readonly path: string;
  readonly body?: object;
  /** Default: all but POST. */
  readonly idempotent?: boolean;
}

/** How a call ended, with the words of a refusal: older Bindcars say there what they have no code for. */
type Raw =
  | { readonly ok: true; readonly answer: WireAnswer }
  | { readonly ok: false; readonly trouble: Trouble; readonly words: string };

type Exchange = (ask: Ask, call: CallOptions | undefined) => Promise<Raw>;

function podOf(send: Exchange): BindcarPod {
  const of = (zone: string, rest = ""): string => `/zones/${encodeURIComponent(zone.toWellFormed())}${rest}`;
  const get = async <T>(path: string, as: Read<T>, call?: CallOptions): Promise<Outcome<T>> =>
    outcomeOf(await send({ method: "GET", path }, call), as);
  const order = async (ask: Ask, call?: CallOptions): Promise<Outcome<void>> =>
    outcomeOf(await send(ask, call), readers.nothing);
  const post = (zone: string, word: string, call?: CallOptions) =>
    order({ method: "POST", path: of(zone, `/${word}`), idempotent: true }, call);
  const zoneStatus = (zone: string, call?: CallOptions) => get(of(zone, "/status"), readers.zoneStatus, call);

  return {
    health: (call) => get("/health", readers.health, call),
    serverStatus: (call) => get("/server/status", readers.serverStatus, call),
    zones: (call) => get("/zones", readers.zoneList, call),
    zone: (zone, call) => get(of(zone), readers.zoneInfo, call),
    zoneStatus,
    async createZone(body, call) {
      const raw = await send({ method: "POST", path: "/zones", body, idempotent: true }, call);
      if (raw.ok) return done(raw, "created");
      return saysItExists(raw) ? { ok: true, value: "exists" } : { ok: false, trouble: raw.trouble };
    },
    modifyZone: (zone, body, call) => order({ method: "PATCH", path: of(zone), body }, call),
    async deleteZone(zone, call) {
      const raw = await send({ method: "DELETE", path: of(zone) }, call);
      // With or without a word: both are documented.
      if (raw.ok) return raw.answer.body === "" ? { ok: true, value: "deleted" } : done(raw, "deleted");
      if (answered(raw.trouble, 404)) return { ok: true, value: "absent" };
      if (!answered(raw.trouble, 500)) return { ok: false, trouble: raw.trouble };
      // Older Bindcars say 500 for a zone that is not there.
      const status = await zoneStatus(zone, call);
      const isAbsent = !status.ok && answered(status.trouble, 404);
      return isAbsent ? { ok: true, value: "absent" } : { ok: false, trouble: raw.trouble };
    },
    reload: (zone, call) => post(zone, "reload", call),
    freeze: (zone, call) => post(zone, "freeze", call),
    thaw: (zone, call) => post(zone, "thaw", call),
    notify: (zone, call) => post(zone, "notify", call),
    retransfer: (zone, call) => post(zone, "retransfer", call),
    rrsets: (zone, call) => get(of(zone, "/rrsets"), readers.rrsets, call),
    putRRsets: async (zone, body, call) =>
      outcomeOf(await send({ method: "PUT", path: of(zone, "/rrsets"), body }, call), readers.putRRsets),
    addRecord: (zone, body, call) => order({ method: "POST", path: of(zone, "/records"), body }, call),
    updateRecord: (zone, body, call) => order({ method: "PUT", path: of(zone, "/records"), body }, call),
    async removeRecord(zone, body, call) {
      const done = await order({ method: "DELETE", path: of(zone, "/records"), body }, call);
      return !done.ok && answered(done.trouble, 404) ? { ok: true, value: undefined } : done;
    },
  };
}

function outcomeOf<T>(raw: Raw, as: Read<T>): Outcome<T> {
  if (!raw.ok) return { ok: false, trouble: raw.trouble };
  const value = read(raw.answer.body, as);
  // A body that is none of ours is a proxy's or half of one: as good as no answer.
  return value === undefined ? { ok: false, trouble: malformed } : { ok: true, value: value.it };
}

const done = <T>(raw: Raw, value: T): Outcome<T> => outcomeOf(raw, () => ({ it: value }));

const malformed: Trouble = { at: "unreachable", why: "malformed" };

/** 409; or 500 with these words, as older Bindcars have it. */
function saysItExists({ trouble, words }: { readonly trouble: Trouble; readonly words: string }): boolean {
  if (answered(trouble, 409)) return true;
  return answered(trouble, 500) && /already exists|already serves|duplicate zone/i.test(words);
}

async function exchange(options: BindcarOptions, endpoint: string, ask: Ask, call: CallOptions = {}): Promise<Raw> {
  const { clock, random, token } = options;
  const { attempts: policy = "policy", signal } = call;
  const begun = clock.uptime();
  let renewed = false;
  for (let attempts = 1; ; attempts += 1) {
    const raw = await attempt(options, endpoint, ask, call);
    if (raw.ok || policy === "once" || saysItExists(raw)) return raw;
    const { trouble } = raw;
    const idempotent = ask.idempotent ?? ask.method !== "POST";
    const delay = retryDelay({ trouble, idempotent, attempts, elapsed: clock.uptime() - begun, renewed }, random);
    if (delay === undefined) return raw;
    if (isUnauthorized(trouble)) {
      token.forget();
      renewed = true;
    }
    if (delay > 0 && !(await waited(clock, delay, signal))) return gaveUp;
  }
}

const gaveUp: Raw = { ok: false, trouble: { at: "aborted" }, words: "" };

async function waited(clock: Clock, delay: Ms, signal: AbortSignal | undefined): Promise<boolean> {
  return sleep(clock, delay, signal).then(
    () => true,
    () => false,
  );
}

async function attempt(options: BindcarOptions, endpoint: string, ask: Ask, call: CallOptions): Promise<Raw> {
  const { wire, token, clock, onAttempt } = options;
  const { signal, timeout = 30_000 } = call;
  if (signal?.aborted === true) return gaveUp;
  const ending = new AbortController();
  const timer = clock.after(timeout, () => ending.abort(new Unreached("timeout")));
  const give = () => ending.abort();
  signal?.addEventListener("abort", give, { once: true });
  try {
    const answer = await wire.send(requestOf(endpoint, ask, (await token.get())?.reveal()), ending.signal);
    onAttempt?.(answer.status);
    if (answer.status >= 200 && answer.status < 300) return { ok: true, answer };
    return { ok: false, trouble: refusalOf(answer), words: answer.body };
  } catch (error) {
    if (ending.signal.aborted && !(ending.signal.reason instanceof Unreached)) return gaveUp;
    onAttempt?.(0);
    return {
      ok: false,
      trouble: { at: "unreachable", why: error instanceof Unreached ? error.why : "failed" },
      words: "",
    };
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", give);
  }
}

function requestOf(endpoint: string, { method, path, body }: Ask, token: string | undefined): WireRequest {
  return {
    endpoint,
    method,
    path: `${basePath}${path}`,
    headers: {
      accept: "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function refusalOf({ status, headers, body }: WireAnswer): Trouble {
  const code = read(body, readers.failureCode)?.it;
  const seconds = headers["retry-after"];
  const asked = seconds !== undefined && /^\d{1,6}$/.test(seconds.trim()) ? Number(seconds) * 1000 : undefined;
  return {
    at: "answered",
    status,
    ...(status >= 500 && code !== undefined && { code }),
    ...(status === 429 && asked !== undefined && { retryAfter: asked }),
  };
}
