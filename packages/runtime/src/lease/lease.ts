// What a Lease says of its holder, since when we have seen it say so, what to do about it, and the patch that does it. Pure.
// Fields as Kubernetes has them, so that an election of client-go may take part on the same Lease.
import type { JsonPatchOperation } from "@telltale/client";
import { formatMicroTime, type Instant, type Ms } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";

/** Who holds a Lease, and how. */
export interface Claim {
  /** Empty: nobody. */
  readonly holder: string;
  /** How long it has to stay unchanged until somebody else may take it. */
  readonly duration: Ms;
  /** `leaseTransitions`: another number for every term. */
  readonly epoch: number;
  readonly acquired: string;
  readonly renewed: string;
}

/** A Lease as we last saw it. `since` is our own uptime at which we first knew: it has been so at least from then on. */
export type Seen =
  | { readonly at: "unread" }
  | { readonly at: "there"; readonly lease: Lease; readonly claim: Claim; readonly since: Ms }
  | { readonly at: "gone"; readonly was: Claim; readonly since: Ms } // deleted, and its holder may not know yet
  | { readonly at: "none" }; // and there was none when we last looked

export type Step =
  | { readonly do: "create"; readonly epoch: number }
  | { readonly do: "renew"; readonly lease: Lease; readonly claim: Claim }
  | { readonly do: "take"; readonly lease: Lease; readonly epoch: number }
  | { readonly do: "wait"; readonly until: Ms; readonly holder: string };

/** What to do next. `mine`: the Lease says what we wrote. `inTerm`: we hold it by our own clock. */
export function nextStep(seen: Seen, mine: boolean, inTerm: boolean, now: Ms): Step {
  switch (seen.at) {
    case "unread":
      return { do: "wait", until: now, holder: "" };
    case "none":
      return { do: "create", epoch: 0 };
    case "gone":
      if (!mine && !isOver(seen, now)) return { do: "wait", until: endOf(seen), holder: seen.was.holder };
      return { do: "create", epoch: seen.was.epoch + 1 };
    case "there":
      if (mine && inTerm) return { do: "renew", lease: seen.lease, claim: seen.claim };
      if (!mine && !isOver(seen, now)) return { do: "wait", until: endOf(seen), holder: seen.claim.holder };
      return { do: "take", lease: seen.lease, epoch: seen.claim.epoch + 1 };
  }
}

/** What we know after reading the Lease once more; undefined where there was none. `now`: after the answer, never before. */
export function see(before: Seen, lease: Lease | undefined, now: Ms, fallback: Ms): Seen {
  if (lease === undefined) {
    if (before.at === "gone") return before;
    return before.at === "there" ? { at: "gone", was: before.claim, since: now } : { at: "none" };
  }
  const claim = claimOf(lease, fallback);
  const same =
    before.at === "there" && before.lease.metadata?.uid === lease.metadata?.uid && sameClaim(before.claim, claim);
  return { at: "there", lease, claim, since: same ? before.since : now };
}

/** Whether its holder, if there is one, has certainly given up by now. */
export function isOver(seen: Extract<Seen, { since: Ms }>, now: Ms): boolean {
  return claimIn(seen).holder === "" || now >= endOf(seen);
}

const endOf = (seen: Extract<Seen, { since: Ms }>): Ms => seen.since + claimIn(seen).duration;

const claimIn = (seen: Extract<Seen, { since: Ms }>): Claim => (seen.at === "there" ? seen.claim : seen.was);

/** `fallback`: how long a claim is taken to last that does not say so itself. */
function claimOf({ spec = {} }: Lease, fallback: Ms): Claim {
  return {
    holder: spec.holderIdentity ?? "",
    duration: spec.leaseDurationSeconds === undefined ? fallback : spec.leaseDurationSeconds * 1000,
    epoch: spec.leaseTransitions ?? 0,
    acquired: spec.acquireTime ?? "",
    renewed: spec.renewTime ?? "",
  };
}

export function sameClaim(a: Claim, b: Claim): boolean {
  return (
    a.holder === b.holder &&
    a.duration === b.duration &&
    a.epoch === b.epoch &&
    a.acquired === b.acquired &&
    a.renewed === b.renewed
  );
}

/**
 * A time for a claim. Its microseconds are ours to count with: no two claims are alike, even where the wall clock stands still
 * or is put back, so that a renewal is always seen as a change.
 */
export function stamp(now: Instant, count: number): string {
  return formatMicroTime(now).replace(/\d{3}Z$/, `${String(count % 1000).padStart(3, "0")}Z`);
}

/** What a Lease says that nobody holds. One second: what client-go writes, for those who ask how long nobody holds it. */
export function freed({ epoch }: Claim, at: string): Claim {
  return { holder: "", duration: 1000, epoch, acquired: at, renewed: at };
}

/** Labels and annotations that a Lease has to have beside its claim. */
export interface Marks {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function newLease(namespace: string, name: string, claim: Claim, { labels, annotations }: Marks): Lease {
  return {
    metadata: { namespace, name, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: specOf(claim),
  };
}

/** From this very version of a Lease to another claim: whoever else was faster makes it fail. */
export function claimPatch(lease: Lease, claim: Claim, marks: Marks = {}): readonly JsonPatchOperation[] {
  const { uid, resourceVersion, labels, annotations } = lease.metadata ?? {};
  return [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...members("/spec", lease.spec, specOf(claim)),
    ...members("/metadata/labels", labels, marks.labels),
    ...members("/metadata/annotations", annotations, marks.annotations),
  ];
}

/** Member by member: what somebody else keeps beside them stays. */
function members(path: string, before: object | undefined, after: object | undefined): JsonPatchOperation[] {
  if (after === undefined) return [];
  if (before === undefined) return [{ op: "add", path, value: after }];
  return Object.entries(after).map(([name, value]) => ({
    op: "add",
    path: `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    value,
  }));
}

function specOf(claim: Claim): NonNullable<Lease["spec"]> {
  return {
    holderIdentity: claim.holder,
    leaseDurationSeconds: Math.ceil(claim.duration / 1000),
    acquireTime: claim.acquired,
    renewTime: claim.renewed,
    leaseTransitions: claim.epoch,
  };
}
