// A Bindcar without BIND (section 11): the same API, a named in memory, and faults by order. It runs in the process of a test or
// of a simulation, on whatever clock it is given; `listen.ts` puts it on a port.
import { createHash } from "node:crypto";
import type { Clock, Random } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import { Secret } from "@telltale/status";
import { bindcarVersion } from "../bindcar/contract.ts";
import { bindcarApi } from "../bindcar-server/api.ts";
import { anybody, sharedSecret } from "../bindcar-server/authenticate.ts";
import { type RateLimit, RateLimiter } from "../bindcar-server/rate-limit.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { Faults, type Met } from "./faults.ts";
import { SimulatedNameserver } from "./nameserver.ts";
import { type Upstream, upstreamReply } from "./upstream.ts";

export interface SimulatedOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whoever asks needs it. Default: nobody is asked. */
  readonly token?: string;
  readonly version?: string;
  /** As which release of upstream's Bindcar it answers. Default: as ours. */
  readonly upstream?: Upstream;
  /** Default: none. */
  readonly limit?: RateLimit;
  /** The pod's own address, by which primaries know a secondary. */
  readonly address?: string;
  /** The simulated server that answers DNS there: `10.0.0.1:5353`. Without it nothing is transferred. */
  readonly serverAt?: (endpoint: string) => SimulatedNameserver | undefined;
}

export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly peer?: string;
}

/** What comes to the DNS port: a question, prerequisites alone, and changes. */
export type DnsMethod = "QUERY" | "CHECK" | "UPDATE";

/** What was asked. Never the Authorization header. */
export interface Logged {
  readonly number: number;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  /** 0 where no answer was sent. */
  readonly status: number;
  readonly took: Ms;
  readonly bodyHash: string;
}

export class SimulatedBindcar {
  readonly nameserver: SimulatedNameserver;
  readonly faults: Faults;
  readonly #options: SimulatedOptions;
  readonly #api: ReturnType<typeof bindcarApi>;
  #requests: readonly Logged[] = [];
  #count = 0;
  #isStopped = false;
  #listeners: readonly (() => void)[] = [];

  constructor(options: SimulatedOptions) {
    const { clock, random, token, limit, upstream, address, serverAt } = options;
    const version = options.version ?? upstream ?? bindcarVersion;
    this.#options = options;
    this.nameserver = new SimulatedNameserver({
      clock,
      ...(address !== undefined && { address }),
      ...(serverAt !== undefined && { serverAt }),
    });
    this.faults = new Faults(random);
    this.faults.onChange(() => this.#tell());
    this.#api = bindcarApi({
      nameserver: this.nameserver,
      authenticate: token === undefined ? anybody : sharedSecret(new Secret(token)),
      clock,
      version,
      ...(limit !== undefined && { limiter: new RateLimiter(limit, clock) }),
    });
  }

  /** Those that were let in, the last ten thousand of them. */
  get requests(): readonly Logged[] {
    return this.#requests;
  }

  /** Whether somebody listens. */
  get listens(): boolean {
    return !this.#isStopped && !this.faults.refuses;
  }

  /** Nobody listens until `start`. */
  stop(): void {
    this.#isStopped = true;
    this.#tell();
  }

  start(): void {
    this.#isStopped = false;
    this.#tell();
  }

  /** Called when it may have begun or ceased to listen. */
  onChange(listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  /** Asks without a socket. */
  async ask({ method, path, headers = {}, body = "", peer = "127.0.0.1" }: SimulatedRequest): Promise<Delivery> {
    if (!this.listens) return { as: "refused" };
    const { clock, upstream } = this.#options;
    const [at, begun] = [clock.now(), clock.uptime()];
    const bytes = Buffer.from(body, "utf8");
    const asked = {
      method,
      path,
      headers,
      peer,
      body: async () => (bytes.length > 2 * 1024 * 1024 ? undefined : bytes),
    };
    const answer = async () => {
      const other = upstream && (await upstreamReply(upstream, { method, path, body }, this.nameserver));
      return other ?? this.#api(asked);
    };
    const delivery = await deliver(this.faults.take({ method, path }), answer);
    const status = "reply" in delivery ? delivery.reply.status : 0;
    const bodyHash = body === "" ? "" : createHash("sha256").update(body).digest("hex");
    this.#log({ at, method, path, status, took: clock.uptime() - begun, bodyHash });
    return delivery;
  }

  /** What goes wrong with a message to its DNS port: only what is meant for that, by its method. */
  meets(method: DnsMethod, zone: string): Met | undefined {
    const path = `/zones/${zone}`;
    this.#log({ at: this.#options.clock.now(), method, path, status: 0, took: 0, bodyHash: "" });
    return this.faults.take({ method, path }, "named");
  }

  #log(logged: Omit<Logged, "number">): void {
    this.#count += 1;
    this.#requests = [...this.#requests.slice(-9_999), { number: this.#count, ...logged }];
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
