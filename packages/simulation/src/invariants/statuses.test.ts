import { conditions, defineKind, Fields, negative, no, phases, positive, Text, yes } from "@telltale/kinds";
import { controller } from "@telltale/runtime";
import { describe, expect, test } from "vitest";
import { Shop, shopScenario } from "../../test/shop.ts";
import { deed } from "../../test/variants.ts";
import { miswritten, verdict } from "../../test/verdict.ts";
import type { Deed, Scenario } from "../index.ts";

/** The status is written three times: what the second one got wrong the third puts right. */
const thrice = { people: [deed(5000, { tills: 2 }), deed(8000, { tills: 3 })] };

test("a sound operator that writes its status three times keeps to all rules", async () => {
  expect(await verdict({ ...shopScenario(), ...thrice })).toEqual([]);
});

test("I8 shows a status that speaks of a generation to come", async () => {
  const ahead = (status: string, write: number) =>
    write === 2 ? status.replace(/("path":"\/status\/observedGeneration","value":)\d+/, "$199") : status;
  expect(await miswritten({ ...shopScenario(), ...thrice }, ahead)).toEqual(["I8"]);
});

test("I10 shows a transition time that moves although nothing flipped", async () => {
  const restamped = (status: string, write: number) =>
    write === 2
      ? status.replace(/"lastTransitionTime":"[^"]*"/, '"lastTransitionTime":"2026-01-01T00:00:04Z"')
      : status;
  expect(await miswritten({ ...shopScenario(), ...thrice }, restamped)).toEqual(["I10"]);
});

test("I13 shows who drops a condition of others", async () => {
  const theirs = {
    type: "example.net/Seen",
    status: "True",
    reason: "Seen",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:03Z",
  };
  const seen: Deed = {
    at: 3000,
    what: "somebody looks at it",
    act: (client) =>
      client.status.patch(
        Shop,
        { namespace: "default", name: "corner" },
        { json: [{ op: "add", path: "/status/conditions/-", value: theirs }] },
      ),
  };
  const scenario = { ...shopScenario(), people: [seen, deed(5000, { tills: 2 })] };
  expect(await verdict(scenario)).toEqual([]);
  const drop = (status: string) => status.replace(/,\{[^{}]*example.net\/Seen[^{}]*\}/, "");
  expect(await miswritten(scenario, drop)).toEqual(["I13"]);
});

test("I17 shows who is stalled and ready at once", async () => {
  const Booth = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Booth",
    spec: Fields({ motto: Text() }),
    status: Fields({}),
    conditions: conditions({
      Ready: positive({
        means: "It is open",
        reasons: { Open: yes("It is open"), Shut: no("It is shut", "wait") },
      }),
      Stalled: negative({ means: "It is stuck", present: "whenTrue", reasons: { Stuck: yes("It is stuck") } }),
    }),
  });
  const booths = (isReady: boolean): Scenario => ({
    name: "booths",
    kinds: [Booth],
    operator: () => [
      controller(Booth).reconcile({
        observe: (booth) => booth,
        status(_booth, draft) {
          draft.condition("Stalled", true, "Stuck", "It is stuck");
          if (isReady) draft.condition("Ready", true, "Open", "It is open");
          else draft.condition("Ready", false, "Shut", "It is shut");
        },
      }),
    ],
    apply: [
      {
        apiVersion: Booth.apiVersion,
        kind: Booth.kind,
        metadata: { name: "a", namespace: "default" },
        spec: { motto: "fresh" },
      } as object,
    ],
  });
  expect(await verdict(booths(true))).toContain("I17");
  expect(await verdict(booths(false))).toEqual([]);
});

describe("I19", () => {
  test("shows progress that runs back", async () => {
    const people = [deed(5000, { tills: 5 }), deed(8000, { tills: 3 })];
    const progress: Scenario["progress"] = ({ tills }) =>
      typeof tills === "number" ? { epoch: "one", done: tills } : undefined;
    expect(await verdict({ ...shopScenario(), people, progress })).toEqual(["I19"]);
    expect(await verdict({ ...shopScenario(), ...thrice, progress })).toEqual([]);
  });

  test("shows a way from phase to phase that is not declared", async () => {
    const Post = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Post",
      spec: Fields({ motto: Text() }),
      status: Fields({}),
      phases: phases({ Draft: ["Sent"], Sent: [] }),
    });
    const posts: Scenario = {
      name: "posts",
      kinds: [Post],
      operator: () => [
        controller(Post).reconcile({
          observe: (post) => post,
          status: (post, draft) => void draft.phase(post.spec.motto === "hush" ? "Draft" : "Sent"),
        }),
      ],
      apply: [
        {
          apiVersion: Post.apiVersion,
          kind: Post.kind,
          metadata: { name: "a", namespace: "default" },
          spec: { motto: "hush" },
        } as object,
      ],
      people: [
        {
          at: 5000,
          what: "sends it",
          act: (client) =>
            client.patch(Post, { namespace: "default", name: "a" }, { merge: { spec: { motto: "hear" } } }),
        },
      ],
    };
    expect(await verdict(posts)).toEqual([]);
    const back: Deed = {
      at: 8000,
      what: "wants it back",
      act: (client) => client.patch(Post, { namespace: "default", name: "a" }, { merge: { spec: { motto: "hush" } } }),
    };
    expect(await verdict({ ...posts, people: [...(posts.people ?? []), back] })).toEqual(["I19"]);
  });
});
