import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Site, status } from "./first-look.example.ts";
import { next, patch } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README's example is the one that is checked here, and works", () => {
  expect(read("../README.md")).toContain(read("./readme.example.ts"));
  expect(next.status).toMatchObject({
    observedGeneration: 2,
    turns: 2,
    conditions: [{ reason: "Turning", message: "2 of 3 turns" }],
  });
  expect(patch.map((o) => `${o.op} ${o.path}`)).toEqual([
    "test /metadata/uid",
    "test /status/observedGeneration",
    "test /status/conditions",
    "replace /status/observedGeneration",
    "replace /status/turns",
    "add /status/conditions",
  ]);
});

it("the first look of the project's README works", () => {
  const [kind, derive] = read("./first-look.example.ts").split("\n\nimport { instant }");
  const page = read("../../../README.md");
  expect(page).toContain(kind);
  expect(page).toContain(derive);
  const site = {
    apiVersion: Site.apiVersion,
    kind: Site.kind,
    metadata: { name: "a", uid: "u", generation: 1 },
    spec: { replicas: 2 },
  };
  expect(status(site, 1)).toContainEqual(expect.objectContaining({ path: "/status" }));
});
