// What is simulated: an operator, what people apply and do, what it talks to outside, and what the end must be.
import type { Client, Transport } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { Instant, Kind, KindRef, KubeObject, Ms } from "@telltale/kinds";
import type { Controller } from "@telltale/runtime";
import type { Progress } from "@telltale/status";
import type { Fault } from "./fault.ts";

/** `B`: what is outside. Functions are methods here, so that a scenario with something outside is a scenario. */
export interface Scenario<B = unknown> {
  readonly name: string;
  /** Declared to the server before anything starts. */
  readonly kinds: readonly Kind[];
  /** The operator's controllers, made anew for each process that starts: what is kept in memory is lost with it. */
  operator(around: Around<B>): readonly Controller[];
  /** The operator of another team, the cluster itself: runs beside it, and has no faults of its own. */
  others?(around: Around<B>): readonly Controller[];
  /** There before the operator is. */
  readonly given?: readonly KubeObject[];
  /** What a person applies, one after the other. */
  readonly apply: readonly KubeObject[];
  /** What people do later. */
  readonly people?: readonly Deed[];
  /** What is outside the cluster, made anew for each plan. It survives the operator's crashes. */
  backend?(around: Pick<Around<B>, "clock" | "random">): B & Backend;
  /** What must hold when everything has become quiet. Throws where it does not. */
  end?(world: Ended<B>): void | Promise<void>;
  /** Processes that stand for election. Default: one, without a lease. */
  readonly replicas?: 1 | 2;
  /** What may end differently from run to run: `Job *.metadata.name`, `*.status.history`. */
  readonly free?: readonly string[];
  /** Kinds of children that it leaves as they are once they are made: `Job`. What others do to them is not put right, and what a backup has not got is lost. */
  readonly leaves?: readonly string[];
  /** Perturbations that are no fault here: a kind that runs once with the spec that it was made with follows no later one. */
  readonly unsuited?: readonly string[];
  /** Whether it may end otherwise after a fault, among all of the plan: one that takes away for good what others build on. */
  differs?(fault: Fault, all: readonly Fault[]): boolean;
  /** One of many other objects that come at once (P32). Default: the first of the operator's own under another name. */
  crowd?(i: number): KubeObject | undefined;
  /** When it begins, for what goes by the calendar. Default: the first of January 2026, in UTC. */
  readonly start?: Instant;
  /** How long nothing must be written before it counts as quiet. Default: five minutes. */
  readonly quiet?: Ms;
  /** After so long it must have become quiet. Default: four hours. */
  readonly patience?: Ms;
  /** True of an object and what the server holds, and what is outside when it is said: what `Ready=True` promises (I9). */
  promise?(object: KubeObject, look: Look, backend: B): boolean;
  /** What must be gone, outside or on the server, before a finalizer may go (I6): in words what is left, or undefined. */
  leftovers?(object: KubeObject, backend: B, look: Look): string | undefined;
  /** Whether what was made for an object that is gone may stay (I7). Default: not without an owner. */
  outlives?(object: KubeObject): boolean;
  /** The waits that an object is in, and when each must have ended (I18). A longer one than `quiet` is not seen to its end. */
  deadlines?(object: KubeObject, look: Look): readonly Deadline[];
  /** How far an object is, where its status shows it (I19). */
  progress?(status: Readonly<Record<string, unknown>>): Progress | undefined;
  /** Conditions whose transition time starts anew with a reset or an unpause (I10). */
  readonly restamps?: readonly string[];
  /** What must hold at every moment, also while faults last (I31). */
  readonly safety?: readonly Safety<B>[];
  /** What keeps the operator from doing harm. A campaign takes each away in turn, and has to notice. */
  readonly guards?: readonly Guard<B>[];
}

/**
 * Something that must hold at every moment: after each change on the server and outside, and whenever time has passed. It is judged by
 * what is outside, not by what the operator says.
 */
export interface Safety<B = unknown> {
  readonly name: string;
  /** Perturbations that take away what it is about: `["P27"]`. In their plans it is not asked. */
  readonly except?: readonly string[];
  /** Of one run. What it gives is asked at every moment, and says in words what does not hold. */
  watch(on: Watched<B>): () => string | undefined;
}

/** What is seen of a run while it lasts. */
export interface Watched<B = unknown> {
  readonly backend: B;
  /** The server's state, as it is now. */
  readonly look: Look;
  now(): Instant;
  /**
   * How long the operator could have done its work by now: a process was there and heard of everything, and what is outside was well.
   * What it says of the past is not held against it while it cannot know better.
   */
  undisturbedFor(): Ms;
  /** Whether the server was put back to an earlier state: then it knows nothing of what was made since. */
  readonly isRewound: boolean;
}

/** A rule of the operator without which it would do harm. */
export interface Guard<B = unknown> {
  readonly name: string;
  /** The operator without it. Only tests can build it. */
  without(around: Around<B>): readonly Controller[];
  /** What breaks then: an invariant, such as `I3`, or the name of what is declared in `safety`. */
  readonly breaks: string;
  /** The perturbations that show it: `["P36"]`. Default: all. */
  readonly only?: readonly string[];
}

/** A wait that must not last for ever. */
export interface Deadline {
  /** What it waits for. */
  readonly what: string;
  readonly at: Instant;
}

export interface Around<B> {
  readonly clock: Clock;
  readonly random: Random;
  /** The way of this process to the server, for a client of the operator's own: no lease is asked on it. */
  readonly transport: Transport;
  readonly backend: B;
}

/** Something outside that can be made to fail. */
export interface Backend {
  /** From now on, until `heal`. */
  fail?(how: BackendFault): void;
  heal?(): void;
  /** Tells of each change of its state: what is declared in `safety` is looked at then. */
  listen?(changed: () => void): void;
}

/**
 * `unreachable`: nobody gets through, and it goes on by itself; `restarting`: what it was about is cut off, and it is there again at once;
 * `losing`: it does what it is asked, and its answers are lost.
 */
export type BackendFault = "slow" | "failing" | "lagging" | "partial" | "unreachable" | "restarting" | "losing";

/** Something that a person does. */
export interface Deed {
  /** After the start. */
  readonly at: Ms;
  readonly what: string;
  /** Done again where the server was in trouble: one request, or such as may be repeated. */
  readonly act: (client: Client) => Promise<unknown>;
}

/** Reading the server's state. */
export interface Look {
  list<T extends KubeObject>(kind: KindRef<T>): readonly T[];
}

export interface Ended<B> {
  readonly client: Client;
  readonly backend: B;
}
