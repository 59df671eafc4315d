// What a server does with its connections: closes those that nobody uses and those that are old, hangs up on whoever pings too
// often, and lets calls under way end when it stops.
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Log } from "@telltale/runtime";
import { answered, areTooMany, noPings, pinged } from "./pings.ts";

const longestIdle: Ms = 900_000;
const oldest: Ms = 7_200_000;
/** What calls have left on a connection that is too old. */
const grace: Ms = 300_000;

export class Connections {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #open = new Set<ServerHttp2Session>();
  #onEmpty: (() => void) | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  add(session: ServerHttp2Session): void {
    const timers: { idle?: Timer; age?: Timer } = {};
    let pings = noPings;
    let calls = 0;
    const rest = () => {
      timers.idle = this.#clock.after(longestIdle, () => session.close());
    };
    this.#open.add(session);
    rest();
    timers.age = this.#clock.after(oldest, () => {
      session.close();
      timers.age = this.#clock.after(grace, () => session.destroy());
    });
    session.on("stream", (stream: ServerHttp2Stream) => {
      calls += 1;
      timers.idle?.cancel();
      stream.once("finish", () => {
        pings = answered(pings);
      });
      stream.once("close", () => {
        calls -= 1;
        if (calls === 0 && !session.destroyed) rest();
      });
    });
    session.on("ping", () => {
      pings = pinged(pings, this.#clock.uptime(), calls);
      if (!areTooMany(pings)) return;
      this.#log.warn("a caller pings too often and is hung up on");
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from("too_many_pings"));
      session.destroy();
    });
    session.on("error", (error) => this.#log.debug("a connection broke", { error: error.message }));
    session.once("close", () => {
      timers.idle?.cancel();
      timers.age?.cancel();
      this.#open.delete(session);
      if (this.#open.size === 0) this.#onEmpty?.();
    });
  }

  /** Takes no more calls; those under way have so long. Resolves when the last connection is closed. */
  async stop(within: Ms): Promise<void> {
    if (this.#open.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const session of this.#open) session.close();
    const cut = this.#clock.after(within, () => {
      for (const session of this.#open) session.destroy();
    });
    await empty;
    cut.cancel();
  }
}
