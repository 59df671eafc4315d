// Tells of a written status: samples for every transition, a sample when a condition begins to flap, and the Events. What it
// remembers of objects is bounded; an object that it forgot only lacks one dwell time.
import type { Instant, Kind, KubeObject } from "@telltale/kinds";
import { type FlapLimit, type Flips, flapping, flip } from "@telltale/status";
import type { Sink } from "../samples.ts";
import type { Recorder } from "./events.ts";
import { Lru } from "./lru.ts";
import { type Transitions, transitions } from "./transitions.ts";

export interface Announcer {
  /** To be called once the server has the new status. */
  written(written: {
    readonly object: KubeObject;
    readonly old: Readonly<Record<string, unknown>> | undefined;
    readonly next: Readonly<Record<string, unknown>>;
    readonly now: Instant;
    /** Whether the pass failed that wrote this. */
    readonly failed?: boolean;
  }): void;
}

export interface AnnouncerOptions {
  readonly kind: Kind;
  readonly controller: string;
  readonly sink: Sink;
  readonly events: Pick<Recorder, "record">;
  /** The condition types whose flips become Events. Default: the kind's top condition. */
  readonly announce?: readonly string[];
}

/** More flips of one condition than this are flapping. */
const flaps: FlapLimit = { max: 5, window: 600_000 };
/** How many objects' phases, and how many conditions' flips, are remembered. */
const remembered = 10_000;

export function announcer(options: AnnouncerOptions): Announcer {
  const { kind, controller, sink, events, announce } = options;
  const phases = new Lru<string, Instant>(remembered);
  const flips = new Lru<string, Flips>(remembered);

  function noteFlips(uid: string, list: Transitions["flips"], now: Instant): void {
    for (const { type, sample } of list) {
      const key = `${uid}/${type}`;
      const before = flips.get(key);
      const after = flip(before, now, flaps);
      flips.set(key, after);
      // Once when it begins, not with each further flip.
      if (flapping(after, now, flaps).flapping && !flapping(before, now, flaps).flapping) {
        sink({ is: "flapping", controller, kind: kind.kind, type: sample.type });
      }
    }
  }

  return {
    written({ object, old, next, now, failed = false }) {
      const uid = object.metadata?.uid ?? "";
      const phaseSince = phases.get(uid);
      const told = transitions({
        kind,
        controller,
        old,
        next,
        now,
        failed,
        ...(phaseSince === undefined ? {} : { phaseSince }),
        ...(announce === undefined ? {} : { announce }),
      });
      if (told.phase !== undefined) {
        phases.set(uid, now);
        sink(told.phase);
      }
      for (const { sample } of told.flips) sink(sample);
      noteFlips(uid, told.flips, now);
      for (const said of told.events) events.record({ kind, object }, said);
    },
  };
}
