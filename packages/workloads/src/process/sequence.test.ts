import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { moves, type Part } from "./sequence.ts";
import type { Role } from "./spec.ts";

const at = instant(0);
const stages = {
  fresh: { stage: { at: "fresh" }, next: { do: "start" }, isStarted: false },
  starting: { stage: { at: "running", startedAt: at }, next: { do: "stay" }, isStarted: false },
  running: { stage: { at: "running", startedAt: at }, next: { do: "stay" }, isStarted: true },
  done: { stage: ended(0), next: { do: "stay" }, isStarted: false },
  failed: { stage: ended(1), next: { do: "stay" }, isStarted: false },
  again: { stage: ended(1), next: { do: "start" }, isStarted: false },
  backoff: { stage: ended(1), next: { do: "wait", until: at, delay: 1 }, isStarted: false },
} as const;

function ended(exitCode: number) {
  return { at: "ended", how: { exitCode, reason: "", startedAt: at, finishedAt: at } } as const;
}

/** `init a done, sidecar b running, main c fresh`. */
function parts(text: string): readonly Part[] {
  return text.split(", ").map((words) => {
    const [role, name, stage] = words.split(" ") as [Role, string, keyof typeof stages];
    return { role, name, ...stages[stage] };
  });
}

describe("containers begin", () => {
  it.each([
    ["main a fresh, main b fresh", "a b"],
    ["init a fresh, init b fresh, main c fresh", "a"],
    ["init a running, init b fresh, main c fresh", ""],
    ["init a done, init b fresh, main c fresh", "b"],
    ["init a again, init b fresh, main c fresh", "a"],
    ["init a backoff, main c fresh", ""],
    ["init a failed, main c fresh", ""],
    ["init a done, init b done, main c fresh, main d running", "c"],
    ["sidecar a fresh, init b fresh, main c fresh", "a"],
    ["sidecar a starting, init b fresh, main c fresh", ""],
    ["sidecar a running, init b fresh, main c fresh", "b"],
    ["sidecar a running, init b done, main c fresh", "c"],
    ["sidecar a again, init b done, main c fresh", "a"],
    ["sidecar a again, init b done, main c running", "a"],
    ["sidecar a backoff, init b done, main c again", "c"],
    ["sidecar a again, init b done, main c done", ""],
    ["main a done, main b again", "b"],
  ])("%s: %s", (text, wanted) => {
    expect(moves(parts(text), "going").start.join(" ")).toBe(wanted);
  });

  it("not at all when the pod is being stopped", () => {
    expect(moves(parts("main a fresh, main b again"), "stopping").start).toEqual([]);
  });
});

describe("containers stop", () => {
  const stop = (text: string, course: "going" | "stopping") =>
    moves(parts(text), course).stop.map(({ name, signal }) => (signal === "now" ? name : `${name}(hold)`));

  it.each([
    ["main a running, main b running", "a b"],
    ["sidecar a running, sidecar b running, main c running", "a(hold) b(hold) c"],
    ["sidecar a running, sidecar b running, main c done", "a(hold) b"],
    ["sidecar a running, sidecar b done, main c done", "a"],
    ["init a running, main b fresh", "a"],
  ])("with the pod: %s: %s", (text, wanted) => {
    expect(stop(text, "stopping").join(" ")).toBe(wanted);
  });

  it("when they are sidecars and the rest is over", () => {
    expect(stop("sidecar a running, main c running", "going")).toEqual([]);
    expect(stop("sidecar a running, main c backoff", "going")).toEqual([]);
    expect(stop("sidecar a running, main c done, main d failed", "going")).toEqual(["a"]);
  });

  it("when an init container failed for good", () => {
    expect(stop("sidecar a running, init b failed, main c fresh", "going")).toEqual(["a"]);
  });
});
