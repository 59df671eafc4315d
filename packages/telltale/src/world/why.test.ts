import { conditions, defineKind, instant, no, phases, positive, yes } from "@telltale/kinds";
import { expect, test } from "vitest";
import { condition, object } from "../../test/objects.ts";
import { chosen } from "../operators/table.ts";
import { paintOf } from "../view/style.ts";
import { whyLines } from "../view/why.ts";
import { forest, type TreeNode, vocabularyOf } from "./forest.ts";
import { reservationsOf, why } from "./why.ts";

const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  conditions: conditions({
    Ready: positive({
      means: "All answer",
      reasons: { Up: yes("They do"), Down: no("Not all pods answer", "look at them") },
    }),
  }),
});
const words = vocabularyOf([Site]);
const now = instant(Date.parse("2026-01-01T00:10:00Z"));
const site = object("example.com/v1 Site", {
  name: "shop",
  status: { conditions: [condition("Ready", "False", "Down", "1 of 2 pods")] },
});
const pod = (name: string, reason: string) =>
  object("v1 Pod", {
    name,
    owner: site,
    status: {
      phase: "Running",
      conditions: [condition("Ready", "False", "ContainersNotReady")],
      containerStatuses: [{ name: "web", state: { waiting: { reason } } }],
    },
  });
const service = object("v1 Service", { name: "shop", owner: site });
const root = (...objects: (typeof site)[]): TreeNode => forest([site, ...objects], words, now)[0] as TreeNode;
const kindOf = ({ apiVersion, kind }: TreeNode) => words({ apiVersion, kind });

test("the descendant in the worst state is to blame", () => {
  const found = why(root(pod("a", "ContainerCreating"), pod("b", "CrashLoopBackOff"), service), kindOf);
  expect(found.map(({ node }) => node.name)).toEqual(["shop", "b"]);
});

test("each is told with since when, what it means and what to do", () => {
  const lines = whyLines(why(root(pod("b", "CrashLoopBackOff")), kindOf), { width: 100, paint: paintOf(false), now });
  expect(lines).toEqual([
    "… Site default/shop is on its way: Down, for 10m (since 2026-01-01T00:00:00Z)",
    "    Ready=False Down",
    "      1 of 2 pods",
    "      means: Not all pods answer",
    "      do: look at them",
    "because of",
    "  ✗ Pod default/b has failed: Running CrashLoopBackOff, for 10m (since 2026-01-01T00:00:00Z)",
    "      web=False CrashLoopBackOff",
    "        means: The container ends again and again; it is started later and later",
    "        do: read its log: kubectl logs, and kubectl logs --previous for the run before",
    "      Ready=False ContainersNotReady",
    "        means: A container does not run, or its probe fails",
    "        do: look at the container; kubectl describe shows its probes",
  ]);
});

test("nobody is to blame for what is well", () => {
  const well = object("example.com/v1 Site", {
    name: "shop",
    status: { conditions: [condition("Ready", "True", "Up")] },
  });
  const [tree] = forest([well, pod("b", "CrashLoopBackOff")], words, now);
  expect(why(tree as TreeNode, kindOf)).toHaveLength(1);
});

test("what ended well is named where its result is less than it should be, with the reason", () => {
  const Race = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Race",
    phases: phases({ Running: ["Done"], Done: [] }, { final: ["Done"] }),
    conditions: conditions({
      Complete: positive({ means: "It is over", reasons: { Won: yes("Somebody won") } }),
      Counted: positive({
        means: "All were there",
        reasons: { Few: no("Some were not", "race again") },
        qualifiesResult: true,
      }),
      Seen: positive({ means: "It was seen", reasons: { Dark: no("It was dark", "wait for the day") } }),
    }),
  });
  const known = vocabularyOf([Race]);
  const race = (...more: ReturnType<typeof condition>[]) =>
    forest(
      [
        object("example.com/v1 Race", {
          name: "cup",
          status: { phase: "Done", conditions: [condition("Complete", "True", "Won", "Ann"), ...more] },
        }),
      ],
      known,
      now,
    )[0] as TreeNode;
  const lines = (node: TreeNode) =>
    whyLines(
      why(node, () => Race),
      { width: 100, paint: paintOf(false), now },
    );
  const dark = condition("Seen", "False", "Dark");
  expect(reservationsOf(race(dark), Race)).toEqual([]);
  expect(reservationsOf(race(condition("Counted", "Unknown", "Few")), Race)).toEqual([]);
  const few = race(dark, condition("Counted", "False", "Few", "3 of 4"));
  expect(reservationsOf(few, Race).map(({ reason }) => reason)).toEqual(["Few"]);
  expect(lines(few)[0]).toMatch(/is well, except for this: Done/);
  expect(lines(few).slice(1)).toEqual([
    "    Complete=True Won",
    "      Ann",
    "      means: Somebody won",
    "    Counted=False Few",
    "      3 of 4",
    "      means: Some were not",
    "      do: race again",
  ]);
});

test("a load test that succeeded and ran short is named, with what that means", async () => {
  const [locust] = await chosen("locust");
  const known = vocabularyOf(locust?.kinds ?? []);
  const status = {
    phase: "Succeeded",
    conditions: [
      condition("TestCompleted", "True", "TestSucceeded", "Test completed successfully (warning: 45s of 1m0s)"),
      condition("LoadComplete", "False", "RanShort", "The load ended before its run time: 45s of 1m0s"),
    ],
  };
  const [tree] = forest([object("locust.io/v2 LocustTest", { name: "demo", status })], known, now);
  const node = tree as TreeNode;
  expect(reservationsOf(node, known(node)).map(({ reason }) => reason)).toEqual(["RanShort"]);
  const lines = whyLines(why(node, known), { width: 100, paint: paintOf(false), now });
  expect(lines).toContain("      do: read the log of the master, and run the test again");
});
