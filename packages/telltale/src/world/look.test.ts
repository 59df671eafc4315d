import { conditions, defineKind, Fields, Int32, instant, no, phases, positive, yes } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { condition, object } from "../../test/objects.ts";
import { look } from "./look.ts";

const now = instant(Date.parse("2026-01-01T01:00:00Z"));

const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  status: Fields({ ready: Int32() }),
  conditions: conditions({
    Ready: positive({ means: "All answer", reasons: { Up: yes("They do"), Down: no("They do not", "wait") } }),
  }),
});

const Race = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Race",
  phases: phases({ Running: ["Succeeded", "Failed"] }, { final: ["Succeeded", "Failed"] }),
  conditions: conditions({
    Ready: positive({ means: "It can run", reasons: { Set: yes("It can"), Not: no("It cannot", "wait") } }),
  }),
});

const site = (status: object, more = {}) => object("example.com/v1 Site", { name: "a", status, ...more });
const race = (phase: string) =>
  object("example.com/v1 Race", { name: "a", status: { phase, conditions: [condition("Ready", "True", "Set")] } });

describe("a kind of ours", () => {
  test.each([
    [
      "is well when its top condition is as it should be",
      site({ conditions: [condition("Ready", "True", "Up")] }),
      "well",
    ],
    ["is on its way when it is not", site({ conditions: [condition("Ready", "False", "Down")] }), "busy"],
    ["is not well before anybody has looked at it", site({}), "busy"],
    [
      "is not well for a generation that nobody has seen",
      site({ observedGeneration: 0, conditions: [condition("Ready", "True", "Up")] }),
      "busy",
    ],
    ["has failed when it says so for good", site({ failureReason: "Quota" }), "bad"],
    ["is going when it is deleted", site({}, { gone: true }), "going"],
  ])("%s", (_name, it, health) => {
    expect(look(it, Site, now).health).toBe(health);
  });

  test.each([
    ["Running", "busy"],
    ["Succeeded", "well"],
    ["Failed", "bad"],
  ])("that ends is %s: %s", (phase, health) => {
    expect(look(race(phase), Race, now)).toMatchObject({ phase, health });
  });

  test("says since when, by the time of the condition that explains it", () => {
    const since = "2026-01-01T00:30:00Z";
    const seen = look(site({ conditions: [condition("Ready", "False", "Down", "no", since)] }), Site, now);
    expect(seen.said).toMatchObject({ type: "Ready", reason: "Down", message: "no" });
    expect(seen.since).toBe(Date.parse(since));
  });
});

describe("a kind of others", () => {
  test("is read by the rules of kstatus", () => {
    const deployment = (status: object) =>
      object("apps/v1 Deployment", { name: "a", spec: { replicas: 2 }, status: { observedGeneration: 1, ...status } });
    const up = { replicas: 2, readyReplicas: 2, updatedReplicas: 2, availableReplicas: 2 };
    const available = [condition("Available", "True", "MinimumReplicasAvailable")];
    expect(look(deployment({ ...up, conditions: available }), undefined, now)).toMatchObject({
      health: "well",
      percent: 100,
    });
    expect(look(deployment({ ...up, readyReplicas: 1 }), undefined, now)).toMatchObject({
      health: "busy",
      percent: 50,
    });
    const late = [condition("Progressing", "False", "ProgressDeadlineExceeded", "too slow")];
    expect(look(deployment({ conditions: late }), undefined, now)).toMatchObject({
      health: "bad",
      said: { reason: "ProgressDeadlineExceeded" },
    });
  });

  test("a pod tells what its container waits for, or how it ended", () => {
    const pod = (state: object) =>
      object("v1 Pod", { name: "a", status: { phase: "Pending", containerStatuses: [{ name: "web", state }] } });
    const waiting = { waiting: { reason: "ImagePullBackOff", message: "no such image" } };
    expect(look(pod(waiting), undefined, now).said).toMatchObject({ type: "web", reason: "ImagePullBackOff" });
    const ended = { terminated: { reason: "Error", exitCode: 3, finishedAt: "2026-01-01T00:59:00Z" } };
    expect(look(pod(ended), undefined, now).said).toMatchObject({ message: "exit code 3" });
    expect(look(pod({ waiting: { reason: "ContainerCreating" } }), undefined, now).said).toBeUndefined();
  });
});

test("progress is what an object says of it, and never more than all", () => {
  const of = (status: object) => look(site(status), undefined, now).percent;
  expect(of({ progress: { percent: 41 } })).toBe(41);
  expect(of({ progress: { percent: 141 } })).toBe(100);
  expect(of({ atProvider: { progress: { done: 1, total: 4 } } })).toBe(25);
  expect(of({})).toBeUndefined();
});

test("whatever somebody wrote into a status, it is read", () => {
  for (const status of [1, "a", [], { conditions: "none" }, { conditions: [1, null, { type: 3 }] }, { phase: {} }]) {
    expect(() => look(site(status as object), Site, now)).not.toThrow();
  }
});
