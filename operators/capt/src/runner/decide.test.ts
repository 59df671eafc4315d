import { instant } from "@telltale/kinds";
import { text } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { Workspace } from "../kinds/workspace.ts";
import { annotations } from "../names.ts";
import { decide, decideEnd } from "./decide.ts";
import type { Order } from "./engine.ts";
import type { Kept } from "./record.ts";
import type { Standing } from "./runs.ts";
import { noQuirks } from "./simulated/script.ts";
import { snapshotOf } from "./state.ts";
import type { Shelved, World } from "./world.ts";

const now = instant(1_000_000);
const idle: Standing = { at: "idle" };
const inputs: Kept["inputs"] = {
  module: "# m",
  format: "HCL",
  entrypoint: "",
  variables: {},
  variableFiles: [],
  env: {},
  args: { init: [], plan: [], apply: [], destroy: [] },
  hasLog: false,
};
const order = (operation: Order["operation"], generation = 1): Order => ({
  id: "r1",
  uid: "u",
  workspace: { name: "demo" },
  operation,
  generation,
  inputs,
});
const running = (operation: Order["operation"], more: object = {}): Standing => ({
  at: "running",
  order: order(operation),
  isStopping: false,
  ...more,
});
const state = (resources: number) =>
  snapshotOf(JSON.stringify({ lineage: "l", serial: 1, resources: Array.from({ length: resources }, () => ({})) }));

type Said = { readonly synced?: "True" | "False"; readonly observed?: number; readonly notes?: Record<string, string> };

function world(standing: Standing, { synced, observed = 1, notes = {} }: Said = {}, more: Partial<World> = {}): World {
  const condition = { type: "Synced", status: synced ?? "True", reason: "X", message: "", lastTransitionTime: "" };
  const workspace: Workspace = {
    apiVersion: Workspace.apiVersion,
    kind: Workspace.kind,
    metadata: { name: "demo", uid: "u", generation: 1, annotations: notes },
    spec: { forProvider: { source: "Inline", module: "# m" } },
    ...(synced === undefined ? {} : { status: { observedGeneration: observed, conditions: [condition] } }),
  };
  return { workspace, engine: "tofu", standing, isOpen: true, quirks: noQuirks, ...more };
}

describe("12.5 what to do next", () => {
  it("R6 plans what was never run, and a new generation", () => {
    expect(decide(world(idle), now)).toEqual({ do: "plan" });
    expect(decide(world(idle, { synced: "True", observed: 0 }), now)).toEqual({ do: "plan" });
    const due = { ...idle, dueAt: instant(now + 1), last: { operation: "plan", generation: 0, isBad: true } } as const;
    expect(decide(world(due, { synced: "True", observed: 0 }), now)).toEqual({ do: "plan" });
  });

  it("R6 plans what is due, and rests where nobody knows when that is", () => {
    expect(decide(world({ ...idle, dueAt: now }, { synced: "True" }), now)).toEqual({ do: "plan" });
    expect(decide(world({ ...idle, dueAt: instant(now + 1) }, { synced: "True" }), now)).toEqual({ do: "nothing" });
    expect(decide(world(idle, { synced: "True" }), now)).toEqual({ do: "rest" });
  });

  it("12.6 plans at once where the connection Secret is gone, and not before it may come", () => {
    const resting = { ...idle, dueAt: instant(now + 1) } as const;
    const cut = world(resting, { synced: "True" }, { isCut: true });
    expect(decide(cut, now)).toEqual({ do: "plan" });
    const late = { ...cut, quirks: { ...noQuirks, secretDelay: 5 } };
    expect(decide(late, now)).toEqual({ do: "nothing" });
  });

  it("R10 waits for its time after a failure, and does not where nothing is remembered", () => {
    const last = { operation: "plan", generation: 1, isBad: true } as const;
    expect(decide(world({ ...idle, last, dueAt: instant(now + 1) }, { synced: "False" }), now)).toEqual({
      do: "nothing",
    });
    expect(decide(world({ ...idle, last, dueAt: now }, { synced: "False" }), now)).toEqual({ do: "plan" });
    expect(decide(world(idle, { synced: "False" }), now)).toEqual({ do: "plan" });
  });

  it("12.7 does nothing about what only an edit can mend", () => {
    const notes = { [annotations.errorClass]: "InvalidConfiguration" };
    expect(decide(world(idle, { synced: "False", notes }), now)).toEqual({ do: "nothing" });
    expect(decide(world(idle, { synced: "False", notes, observed: 0 }), now)).toEqual({ do: "plan" });
  });

  it("12.8 does not begin again what somebody cancelled, before the annotation is gone", () => {
    const notes = { [annotations.errorClass]: "Cancelled", [annotations.cancelRun]: "r0" };
    expect(decide(world(idle, { synced: "False", notes }), now)).toEqual({ do: "nothing" });
    const gone = { [annotations.errorClass]: "Cancelled" };
    expect(decide(world(idle, { synced: "False", notes: gone }), now)).toEqual({ do: "plan" });
  });

  it("R3 lets a run go on, saves what it has made, and stops it where it is asked to", () => {
    expect(decide(world(running("apply")), now)).toEqual({ do: "nothing" });
    expect(decide(world(running("apply", { state: state(1) })), now)).toMatchObject({ do: "save" });
    const notes = { [annotations.cancelRun]: "r1" };
    expect(decide(world(running("apply", { state: state(1) }), { notes }), now)).toEqual({
      do: "cancel",
      why: "asked",
    });
    expect(decide(world(running("apply", { isStopping: true }), { notes }), now)).toEqual({ do: "nothing" });
    expect(decide(world(running("apply"), { notes: { [annotations.cancelRun]: "r0" } }), now)).toEqual({
      do: "nothing",
    });
  });

  it("publishes what has ended, whatever else there is", () => {
    const ended: Standing = { at: "ended", order: order("apply"), outcome: { as: "stale" } };
    expect(decide(world(ended, {}, { rival: "there", isOpen: false }), now)).toMatchObject({ do: "publish" });
  });

  it("12.8 goes on with what an earlier process began", () => {
    const run = { id: "r0", uid: "u", operation: "apply", generation: 1, startedAt: now } as const;
    expect(decide(world({ at: "left", run }), now)).toEqual({ do: "resume", left: run });
  });

  it("12.1 begins nothing and stops everything where somebody else runs Workspaces", () => {
    expect(decide(world(idle, {}, { rival: "there" }), now)).toEqual({ do: "nothing" });
    expect(decide(world(running("apply"), {}, { rival: "there" }), now)).toEqual({ do: "cancel", why: "shutdown" });
    expect(decide(world(idle, {}, { isOpen: false }), now)).toEqual({ do: "nothing" });
  });
});

describe("12.5 what to do at the end", () => {
  const kept = (more: Partial<Kept> = {}): Shelved => ({ is: "kept", kept: { engine: "tofu", inputs, ...more } });
  const full = state(1);
  const empty = state(0);
  const made = kept(full === undefined ? {} : { state: full });

  it("R4 destroys what is there, and what nobody knows", () => {
    expect(decideEnd(world(idle), made, now)).toEqual({ do: "destroy" });
    expect(decideEnd(world(idle), kept(), now)).toEqual({ do: "destroy" });
  });

  it("R5 clears up where nothing is left, or nothing ever was", () => {
    expect(decideEnd(world(idle), kept(empty === undefined ? {} : { state: empty }), now)).toEqual({ do: "clear" });
    expect(decideEnd(world(idle), { is: "none" }, now)).toEqual({ do: "clear" });
    expect(decideEnd(world(idle), { is: "kept", kept: { engine: "simulated", inputs } }, now)).toEqual({ do: "clear" });
  });

  it("stops what is being made, and lets a destroy go on", () => {
    expect(decideEnd(world(running("apply", { state: full })), made, now)).toEqual({ do: "cancel", why: "deleted" });
    expect(decideEnd(world(running("apply", { isStopping: true })), made, now)).toEqual({ do: "nothing" });
    expect(decideEnd(world(running("destroy")), made, now)).toEqual({ do: "nothing" });
    expect(decideEnd(world(running("destroy", { state: full })), made, now)).toMatchObject({ do: "save" });
  });

  it("waits after a destroy that failed, and not after anything else", () => {
    const later = instant(now + 1);
    const last = { operation: "destroy", generation: 1, isBad: true, trouble: text`no` } as const;
    expect(decideEnd(world({ ...idle, last, dueAt: later }), made, now)).toEqual({ do: "nothing" });
    expect(decideEnd(world({ ...idle, last, dueAt: now }), made, now)).toEqual({ do: "destroy" });
    const cancelled = { ...last, operation: "apply" } as const;
    expect(decideEnd(world({ ...idle, last: cancelled, dueAt: later }), made, now)).toEqual({ do: "destroy" });
  });

  it("never pretends to destroy what is real, nor acts on what it cannot read", () => {
    expect(decideEnd(world(idle, {}, { engine: "simulated" }), made, now)).toEqual({ do: "refuse", why: "real" });
    expect(decideEnd(world(idle), { is: "unreadable" }, now)).toEqual({ do: "refuse", why: "unreadable" });
  });

  it.each([{ deletionPolicy: "Orphan" }, { managementPolicies: ["Create", "Update"] }] as const)(
    "leaves what it made where %j says so",
    (policy) => {
      const it = world(idle);
      const workspace = { ...it.workspace, spec: { ...it.workspace.spec, ...policy } } as Workspace;
      expect(decideEnd({ ...it, workspace }, made, now)).toEqual({ do: "leave" });
    },
  );
});
