import { instant, type KubeObject } from "@telltale/kinds";
import { expect, test } from "vitest";
import { forest, vocabularyOf } from "../world/forest.ts";
import { unsettled } from "./settled.ts";

const sample = (name: string, ready: string): KubeObject =>
  ({
    apiVersion: "example.com/v1",
    kind: "Site",
    metadata: { name, namespace: "default", uid: name },
    status: { conditions: [{ type: "Ready", status: ready, reason: "Known", message: "" }] },
  }) as KubeObject;

test("a sample has settled when it is well and nothing of it goes on", () => {
  const samples = [sample("busy", "False"), sample("adopting", "True"), sample("well", "True")];
  const nodes = forest([...samples, sample("of-somebody-else", "False")], vocabularyOf([]), instant(0));
  expect(unsettled(samples, nodes, new Set(["adopting"])).map(({ name }) => name)).toEqual(["adopting", "busy"]);
});

test("an object of the same name in another namespace is no sample", () => {
  const busy = sample("twin", "False");
  const other = { ...busy, metadata: { ...busy.metadata, namespace: "elsewhere", uid: "other" } };
  const nodes = forest([sample("twin", "True"), other], vocabularyOf([]), instant(0));
  expect(unsettled([sample("twin", "True")], nodes, new Set())).toEqual([]);
  const { namespace: _, ...metadata } = busy.metadata ?? {};
  const unplaced = { ...busy, metadata };
  expect(unsettled([unplaced], nodes, new Set(["other"])).map(({ uid }) => uid)).toEqual([]);
  const wide = forest([unplaced], vocabularyOf([]), instant(0));
  expect(unsettled([unplaced], wide, new Set()).map(({ uid }) => uid)).toEqual(["twin"]);
});
