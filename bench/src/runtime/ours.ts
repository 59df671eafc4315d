// The same operator on our runtime. It is run from built JavaScript, as a user runs it: see `prepareOurs` in `peers.ts`.
// It takes the flags of every operator of the bench, and announces no events, as the others announce none.
import { parseArgs } from "node:util";
import { findConnection, httpTransport } from "@telltale/client";
import { systemClock } from "@telltale/clock";
import { type Controller, controller, manager, type Sample } from "@telltale/runtime";
import { rollUp, text } from "@telltale/status";
import { Shelf, Widget } from "./kinds.ts";

const largest = 1_000_000;

const widgets = (workers: number): Controller =>
  controller(Widget)
    .on("generation")
    .workers(workers)
    .reconcile({
      observe: (widget) => widget,
      status({ spec }, draft) {
        const { size, parts = [] } = spec;
        const weight = parts.reduce((sum, part) => sum + part.weight, 0);
        const made = text`The widget of size ${size} is made`;
        const sized = text`Size ${size} of at most ${largest}`;
        const stocked = text`${parts.length} parts weigh ${weight} together`;
        const balanced = text`Size ${size} leaves ${size % 2} over`;
        if (size <= largest) draft.condition("Ready", true, "Made", made).condition("Sized", true, "Fits", sized);
        else draft.condition("Ready", false, "Refused", made).condition("Sized", false, "TooLarge", sized);
        draft.condition("Accepted", true, "Valid", "The spec is valid");
        if (parts.length > 0) draft.condition("Stocked", true, "InStock", stocked);
        else draft.condition("Stocked", false, "NoParts", stocked);
        if (size % 2 === 0) draft.condition("Balanced", true, "Even", balanced);
        else draft.condition("Balanced", false, "Odd", balanced);
      },
    });

const shelves = (workers: number): Controller =>
  controller(Shelf)
    .on("generation")
    .owns(Widget, { verbs: [] })
    .workers(workers)
    .reconcile({
      observe(_, look) {
        const children = look.children(Widget);
        return { total: children.length, ready: children.filter(isReady).length };
      },
      status(counts, draft) {
        draft.set({ widgets: counts.total, ready: counts.ready });
        draft.state({ type: "Ready", ...rollUp(counts, { children: "widgets", parent: "shelf" }) });
      },
    });

const isReady = (widget: NonNullable<(typeof Widget)["~object"]>): boolean =>
  widget.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

const { values: flags } = parseArgs({
  options: {
    mode: { type: "string", default: "widgets" },
    kubeconfig: { type: "string" },
    namespace: { type: "string" },
    workers: { type: "string", default: "10" },
    expect: { type: "string", default: "0" },
  },
});

let done = 0;
const expected = Number(flags.expect);
function count({ is }: Sample): void {
  if (is !== "pass") return;
  done += 1;
  if (done === expected) console.log(`reconciled ${done}`);
}

const stop = new AbortController();
process.on("SIGUSR2", () => console.log(`count ${done}`));
process.on("SIGTERM", () => stop.abort());

const { kubeconfig: path, namespace } = flags;
const transport = httpTransport(await findConnection({ clock: systemClock, ...(path === undefined ? {} : { path }) }));
const make = flags.mode === "shelves" ? shelves : widgets;
await manager({
  name: "operator",
  transport,
  controllers: [make(Number(flags.workers))],
  sinks: [count],
  events: "none",
  ...(namespace === undefined ? {} : { namespaces: [namespace] }),
}).run(stop.signal);
await transport.close?.();
