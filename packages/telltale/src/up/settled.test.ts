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
