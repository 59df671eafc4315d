import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { pod } from "../../test/pod-parts.ts";
import { annotationWords, behaviourIn } from "./annotations.ts";

const read = (annotations: Record<string, string>) => behaviourIn(pod({}, { annotations }));

test.each([
  ["container", "main", { container: "main" }],
  ["pull-after", "5s", { pull: 5_000 }],
  ["create-after", "300ms", { create: 300 }],
  ["start-after", "1m30s", { start: 90_000 }],
  ["ready-after", "0s", { ready: 0 }],
  ["stop-after", "3s", { stop: 3_000 }],
  ["stop-code", "1", { stopCode: 1 }],
  ["pull-error", "true", { pullError: {} }],
  ["pull-error", "30s", { pullError: { for: 30_000 } }],
  ["config-error", "true", { configError: {} }],
  ["mount-error", "10s", { mountError: { for: 10_000 } }],
  ["sandbox-error", "true", { sandboxError: {} }],
  ["never-ready", "true", { neverReady: true }],
  ["never-ready", "false", { neverReady: false }],
  ["flap", "10s", { flap: 10_000 }],
  ["exit-code", "255", { exitCode: 255 }],
  ["exit-after", " 5s ", { exitAfter: 5_000 }],
  ["crash", "true", { crash: Number.POSITIVE_INFINITY }],
  ["crash", "3", { crash: 3 }],
  ["kill-after", "5s", { kill: 5_000 }],
  ["oom-after", "5s", { oom: 5_000 }],
  ["evict-after", "5s", { evict: 5_000 }],
  ["lost-after", "5s", { lost: 5_000 }],
  ["log", "one\ntwo", { log: "one\ntwo" }],
])("sim.telltale.dev/%s: %s", (name, value, behaviour) => {
  expect(read({ [`sim.telltale.dev/${name}`]: value })).toEqual({ behaviour, complaints: [] });
});

test.each([
  ["embedded/fail", "3", { exitCode: 3 }],
  ["embedded/complete-after", "4s", { exitAfter: 4_000 }],
  ["stage.embedded/pod-ready-delay", "5s", { start: 5_000 }],
  ["stage.embedded/pod-complete-delay", "5s", { exitAfter: 5_000 }],
  ["stage.embedded/pod-fail-delay", "5s", { exitAfter: 5_000 }],
  ["stage.embedded/pod-delete-delay", "5s", { stop: 5_000 }],
  ["stage.embedded/pull-delay", "5s", { pull: 5_000 }],
  ["stage.embedded/create-delay", "5s", { create: 5_000 }],
  ["stage.embedded/start-delay", "5s", { start: 5_000 }],
  ["stage.embedded/ready-delay", "5s", { ready: 5_000 }],
  ["stage.embedded/exit-delay", "5s", { exitAfter: 5_000 }],
  ["stage.embedded/stop-delay", "5s", { stop: 5_000 }],
])("the older name %s", (name, value, behaviour) => {
  expect(read({ [name]: value })).toEqual({ behaviour, complaints: [] });
});

describe("what cannot be read", () => {
  test.each([
    ["pull-after", "soon", "write a duration such as 5s, 300ms or 1m30s"],
    ["start-after", "-5s", "write a duration such as 5s, 300ms or 1m30s"],
    ["ready-after", "5", "write a duration such as 5s, 300ms or 1m30s"],
    ["pull-error", "false", 'write "true", or a duration such as 30s after which it is over'],
    ["never-ready", "yes", 'write "true" or "false"'],
    ["flap", "0s", "write a duration such as 10s, more than 0"],
    ["exit-code", "256", "write an exit code from 0 to 255"],
    ["exit-code", "-1", "write an exit code from 0 to 255"],
    ["crash", "often", 'write "true", or how many runs crash'],
    ["container", "", "write the name of a container"],
  ])("%s: %s is left out, and said with the way out", (name, value, fix) => {
    const annotation = `sim.telltale.dev/${name}`;
    const { behaviour, complaints } = read({
      [annotation]: value,
      "sim.telltale.dev/ready-after": name === "ready-after" ? value : "1s",
    });
    expect(behaviour).toEqual(name === "ready-after" ? {} : { ready: 1_000 });
    const message = `annotation ${annotation} is ${JSON.stringify(value)} and is ignored; ${fix}`;
    expect(complaints).toEqual([{ type: "Warning", reason: "InvalidAnnotation", message }]);
  });

  test("a word that nobody knows is said, also where it is one of JavaScript's", () => {
    for (const name of ["pul-error", "constructor", "__proto__", ""]) {
      expect(read({ [`sim.telltale.dev/${name}`]: "true" }).complaints).toHaveLength(1);
    }
  });
});

test("annotations of others are nobody's business", () => {
  expect(read({ "example.com/pull-error": "true", "embedded/other": "x", constructor: "x" })).toEqual({
    behaviour: {},
    complaints: [],
  });
});

test("our own word counts before the older one, in whatever order they stand", () => {
  expect(read({ "sim.telltale.dev/exit-code": "2", "embedded/fail": "1" }).behaviour).toEqual({ exitCode: 2 });
});

test("the page has them all, and no others", async () => {
  const page = await readFile(new URL("../../../../docs/simulated-pods.md", import.meta.url), "utf8");
  const [, table = ""] = page.split("| Annotation | Value |");
  const [rows = ""] = table.split("\n\n");
  const told = Array.from(rows.matchAll(/^\| `([a-z-]+)` \|/gm), ([, word]) => word);
  expect(told.toSorted()).toEqual(annotationWords.toSorted());
});
