// How a simulated pod is to behave, as a value: how long each stage takes, and what goes wrong. Nothing said: it runs at once,
// is ready at once, and a Job's pod ends well.
import type { Ms } from "@telltale/kinds";

export interface Behaviour {
  /** Only this container goes wrong, and an init container only where it is named here. Default: every container. */
  readonly container?: string;

  /** How long the image is pulled. */
  readonly pull?: Ms;
  /** From the image to the container, */
  readonly create?: Ms;
  /** from the container to the program, */
  readonly start?: Ms;
  /** and from the program to being ready. */
  readonly ready?: Ms;
  /** From the request to stop to the end. Longer than its grace: it is killed. */
  readonly stop?: Ms;
  /** How it ends when it is stopped in time. Default: 0 where it is always restarted, else 143. */
  readonly stopCode?: number;

  /** The image cannot be pulled. */
  readonly pullError?: Trouble;
  /** The container cannot be made of what it is told. */
  readonly configError?: Trouble;
  /** A volume cannot be mounted. */
  readonly mountError?: Trouble;
  /** The place where its containers live cannot be made. */
  readonly sandboxError?: Trouble;

  readonly neverReady?: boolean;
  /** Ready and not ready in turns, for so long each. */
  readonly flap?: Ms;

  /** The code that its program ends with. Default: 0, and 1 where it crashes. */
  readonly exitCode?: number;
  /** How long its program runs. Without this and `exitCode`: for ever, but for a Job's. */
  readonly exitAfter?: Ms;
  /** So many of its runs end like this, the further ones are well. Infinity: all. */
  readonly crash?: number;
  /** Its first run is killed after so long. */
  readonly kill?: Ms;
  /** Each run is ended for want of memory after so long. */
  readonly oom?: Ms;

  /** So long after its start the node needs its room, and the pod has to go. */
  readonly evict?: Ms;
  /** So long after its start nobody hears of its node any more. */
  readonly lost?: Ms;

  /** What its containers have written: lines. */
  readonly log?: string;
}

/** For so long from the moment at which it first shows. Without it: for ever. */
export interface Trouble {
  readonly for?: Ms;
  /** In place of the usual words. */
  readonly message?: string;
}

/** What applies to one container: another one than the one that is named is well. */
export function behaviourOf(behaviour: Behaviour, container: string, role: Role): Behaviour {
  const isMeant = behaviour.container === undefined ? role === "main" : behaviour.container === container;
  if (isMeant) return behaviour;
  const { stop, stopCode, pull, create, start, ready } = behaviour;
  const stages = role === "main" ? { pull, create, start, ready } : {};
  return defined({ stop, stopCode, ...stages });
}

/** What a container is to its pod. */
export type Role =
  | "init" // runs to its end before the next one begins
  | "sidecar" // an init container that stays
  | "main";

/** Only what is said. */
export function defined(behaviour: { readonly [K in keyof Behaviour]: Behaviour[K] | undefined }): Behaviour {
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined)) as Behaviour;
}
