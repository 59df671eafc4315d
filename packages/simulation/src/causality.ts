// Which faults come to the same, by the run without faults: two moments between which the operator neither reads nor writes
// what a fault touches are one moment to it.
import { resourceIn } from "./facts.ts";
import type { Fault } from "./fault.ts";
import type { Reference } from "./reference.ts";

/** Of faults that come to the same the first. */
export function distinct(faults: readonly Fault[], reference: Reference): readonly Fault[] {
  const seen = new Set<string>();
  return faults.filter((fault) => {
    const id = JSON.stringify(asFirst(fault, reference));
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Of two about one and the same request, or event, one decides: together they come to one alone. */
export function isHidden(a: Fault, b: Fault): boolean {
  if (onRequest.has(a.p) && onRequest.has(b.p)) return a["write"] === b["write"];
  return onEvent.has(a.p) && onEvent.has(b.p) && a["kind"] === b["kind"] && a["event"] === b["event"];
}

const onRequest: ReadonlySet<string> = new Set(["P1", "P2", "P3", "P4", "P5", "P17", "P25"]);
const onEvent: ReadonlySet<string> = new Set(["P6", "P7", "P9", "P10", "P11", "P12"]);

/** The fault at the first moment at which it is the same. */
function asFirst(fault: Fault, reference: Reference): Fault {
  // What a process had heard before it crashed is lost with it; only what is outside may know.
  if (fault.p === "P2" && reference.scenario.backend === undefined) return { ...fault, p: "P1" };
  const { on, write } = fault;
  if (typeof on !== "string" || typeof write !== "number") return fault;
  return { ...fault, write: firstLike(write, on, reference) };
}

/** The first of the operator's writes since which it has neither read objects of that kind nor written this one. */
function firstLike(write: number, on: string, { writes, reads }: Reference): number {
  const kind = resourceIn(on);
  let at = writes.findIndex((it) => it.write === write);
  for (; at > 0; at -= 1) {
    const [from, to] = [writes[at - 1]?.write ?? 0, writes[at]?.write ?? 0];
    const isWritten = writes[at]?.changes.some(({ key }) => key === on) === true;
    if (isWritten || reads.some((it) => it.kind === kind && it.write >= from && it.write < to)) break;
  }
  return writes[at]?.write ?? write;
}
