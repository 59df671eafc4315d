import { instant } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import type { TreeNode } from "../world/forest.ts";
import type { Health } from "../world/look.ts";
import { fitted, folded, unfolded } from "./fold.ts";
import { paintOf } from "./style.ts";
import { treeLines } from "./tree.ts";

const now = instant(Date.parse("2026-01-01T01:00:00Z"));
const since = instant(Date.parse("2026-01-01T00:58:30Z"));

function node(kind: string, name: string, health: Health, more: Partial<TreeNode> = {}): TreeNode {
  const apiVersion = ["Job", "Pod", "Service"].includes(kind) ? "v1" : "locust.io/v2";
  return {
    apiVersion,
    kind,
    name,
    namespace: "default",
    uid: `${kind}/${name}`,
    health,
    troubles: [],
    since,
    children: [],
    ...more,
  };
}
const said = (reason: string, message: string) => ({ type: "Ready", status: "False", reason, message });

const demo = [
  node("LocustTest", "demo", "busy", {
    phase: "Running",
    percent: 42,
    said: said("WaitingForWorkers", "2/3 workers have connected to the master"),
    children: [
      node("Job", "demo-master", "well", {
        children: [node("Pod", "demo-master-x7f2k", "well", { phase: "Running" })],
      }),
      node("Job", "demo-worker", "busy", {
        children: [
          node("Pod", "demo-worker-with-a-name-of-some-length-1", "bad", {
            phase: "Pending",
            said: said("ImagePullBackOff", "Back-off pulling image\nlocustio/locust:9 \u001b[31mred"),
          }),
        ],
      }),
      node("Service", "demo-master", "well"),
    ],
  }),
];
const draw = (width: number) => treeLines(demo.map(unfolded), { width, paint: paintOf(false), now });

describe("the tree", () => {
  test("at 80 columns", () => {
    expect(draw(80).join("\n")).toMatchInlineSnapshot(`
      "default
      … LocustTest demo                     Running WaitingF… 90s    ███░░░░░  42%  2…
      ✓ ├─ Job demo-master                                    90s
      ✓ │  └─ Pod demo-master-x7f2k         Running           90s
      … ├─ Job demo-worker                  in progress       90s
      ✗ │  └─ Pod demo-wo…-of-some-length-1 Pending ImagePul… 90s    Back-off pulling…
      ✓ └─ Service demo-master                                90s"
    `);
  });

  test("at 160 columns", () => {
    expect(draw(160).join("\n")).toMatchInlineSnapshot(`
      "default
      … LocustTest demo                                    Running WaitingForWorkers 90s    █████░░░░░░░  42%  2/3 workers have connected to the master
      ✓ ├─ Job demo-master                                                           90s
      ✓ │  └─ Pod demo-master-x7f2k                        Running                   90s
      … ├─ Job demo-worker                                 in progress               90s
      ✗ │  └─ Pod demo-worker-with-a-name-of-some-length-1 Pending ImagePullBackOff  90s    Back-off pulling image locustio/locust:9 red
      ✓ └─ Service demo-master                                                       90s"
    `);
  });

  test.each([20, 40, 80, 120, 160, 300])("no line is wider than %d columns, but for what has to be there", (width) => {
    for (const line of draw(width)) expect(line.length).toBeLessThanOrEqual(Math.max(width, 30));
  });

  test("shows what others wrote, and obeys none of it", () => {
    expect(draw(300).join("")).not.toContain("\u001b");
    expect(treeLines(demo.map(unfolded), { width: 160, paint: paintOf(true), now }).join("")).not.toContain(
      "\u001b[31mred",
    );
  });

  test("has colours only where there are some", () => {
    const colours = treeLines(demo.map(unfolded), { width: 160, paint: paintOf(true), now });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
    expect(colours.map((line) => line.replace(/\u001b\[\d+m/g, "").trimEnd())).toEqual(draw(160));
  });
});

describe("folding", () => {
  const names = ({ node: it, children }: ReturnType<typeof folded>): unknown => [it.name, ...children.map(names)];

  test("counts what is well and Kubernetes' own, and keeps the way to what is not", () => {
    const [tree] = demo.map(folded);
    expect(tree && names(tree)).toEqual([
      "demo",
      ["demo-master"],
      ["demo-worker", ["demo-worker-with-a-name-of-some-length-1"]],
    ]);
    expect(tree?.hidden).toBe(1);
    expect(tree?.children[0]?.hidden).toBe(1);
  });

  test("leaves out more where there is less room, the well ones first", () => {
    const many = [...demo, ...Array.from({ length: 50 }, (_, i) => node("LocustTest", `well-${i}`, "well"))];
    const { shown, left } = fitted(many, 10);
    expect(shown.length + left).toBe(51);
    expect(shown.map(({ node: it }) => it.name)).toContain("demo");
    expect(treeLines(shown, { width: 80, paint: paintOf(false), now }).length).toBeLessThanOrEqual(10);
  });
});
