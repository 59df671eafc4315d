// How an Event looks on the wire, in both of its APIs. Pure. The limits are those of kube-apiserver, which counts bytes.
import type { Patch } from "@telltale/client";
import type { Random } from "@telltale/clock";
import {
  formatMicroTime,
  formatTime,
  type Instant,
  isDnsSubdomain,
  type KindRef,
  type KubeObject,
} from "@telltale/kinds";
import type { CoreEvent, Event } from "@telltale/kinds/builtin";

/** What an Event is about: an object, and its kind, which objects from a list do not carry. */
export interface Subject {
  readonly kind: KindRef;
  readonly object: KubeObject;
}

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  /** Anybody may read it: a text from outside goes through `sanitize` first, as for a status. */
  readonly message: string;
  /** What was done, in one word. Default: `Reconcile`. */
  readonly action?: string;
  /** A second object that it concerns. */
  readonly related?: Subject;
}

export interface Teller {
  /** A qualified name, such as `locusttest-controller`. */
  readonly controller: string;
  readonly instance: string;
}

/** One Event from its first telling on: when it recurs, the same object is counted up. */
export interface Happening {
  readonly name: string;
  readonly namespace: string;
  readonly teller: Teller;
  readonly regarding: Reference;
  readonly related?: Reference;
  readonly said: Required<Omit<Said, "related">>;
  readonly first: Instant;
}

/** How often, and when last. */
export interface Tally {
  readonly count: number;
  readonly last: Instant;
}

type Reference = NonNullable<Event["regarding"]>;

const longest = { message: 1024, reason: 128, action: 128, instance: 128, name: 253 };

export function happening(subject: Subject, said: Said, teller: Teller, now: Instant, random: Random): Happening {
  const { related, action = "Reconcile" } = said;
  return {
    name: nameOf(subject, random),
    namespace: subject.object.metadata?.namespace || "default",
    teller: { ...teller, instance: cutBytes(teller.instance, longest.instance) },
    regarding: referenceTo(subject),
    ...(related === undefined ? {} : { related: referenceTo(related) }),
    said: {
      type: said.type,
      reason: cutBytes(said.reason, longest.reason),
      action: cutBytes(action, longest.action),
      message: cutBytes(said.message, longest.message, "…"),
    },
    first: now,
  };
}

/** For `events.k8s.io/v1`. */
export function eventOf(it: Happening, { count, last }: Tally): Event {
  return {
    metadata: { name: it.name, namespace: it.namespace },
    eventTime: formatMicroTime(it.first),
    reportingController: it.teller.controller,
    reportingInstance: it.teller.instance,
    action: it.said.action,
    reason: it.said.reason,
    type: it.said.type,
    note: it.said.message,
    regarding: it.regarding,
    ...(it.related === undefined ? {} : { related: it.related }),
    ...(count < 2 ? {} : { series: { count, lastObservedTime: formatMicroTime(last) } }),
  };
}

/** For core `v1`. Without `eventTime`: that would make it an Event of the newer kind, whose tally is `series`. */
export function coreEventOf(it: Happening, { count, last }: Tally): CoreEvent {
  return {
    metadata: { name: it.name, namespace: it.namespace },
    firstTimestamp: formatTime(it.first),
    lastTimestamp: formatTime(last),
    count,
    source: { component: it.teller.controller, host: it.teller.instance },
    reportingComponent: it.teller.controller,
    reportingInstance: it.teller.instance,
    action: it.said.action,
    reason: it.said.reason,
    type: it.said.type,
    message: it.said.message,
    involvedObject: it.regarding,
    ...(it.related === undefined ? {} : { related: it.related }),
  };
}

/** What counts an Event up that is there already. Everything else in it must stay. */
export function recounted(api: "events.k8s.io/v1" | "v1", { count, last }: Tally): Patch {
  return api === "v1"
    ? { merge: { count, lastTimestamp: formatTime(last) } }
    : { merge: { series: { count, lastObservedTime: formatMicroTime(last) } } };
}

function referenceTo({ kind, object }: Subject): Reference {
  const { name = "", namespace, uid, resourceVersion } = object.metadata ?? {};
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** `<object>.<hex>`. An object's name may be one that no Event can have (`system:node`): then `<kind>.<hex>`. */
function nameOf({ kind, object }: Subject, random: Random): string {
  const hex = Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const room = longest.name - hex.length - 1;
  const name = `${(object.metadata?.name ?? "").slice(0, room).replace(/[-.]+$/, "")}.${hex}`;
  return isDnsSubdomain(name) ? name : `${kind.singular}.${hex}`;
}

/** The beginning of a text, in at most so many bytes of UTF-8, and never half a character. */
function cutBytes(text: string, max: number, end = ""): string {
  if (Buffer.byteLength(text) <= max) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max - Buffer.byteLength(end)));
  return text.slice(0, read) + end;
}
