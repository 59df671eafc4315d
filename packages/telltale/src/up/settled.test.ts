import { instant, type KubeObject } from "@telltale/kinds";
import { expect, test } from "vitest";
import { virtrigaud } from "../operators/virtrigaud.ts";
import { forest, vocabularyOf } from "../world/forest.ts";
import { unsettled } from "./settled.ts";

/** A provider that is well, and what it says of adoption. */
function provider(annotations: Readonly<Record<string, string>>, adoption?: object): KubeObject {
  const conditions = [{ type: "Ready", status: "True", reason: "ProviderHealthy", message: "" }];
  return {
    apiVersion: "infra.virtrigaud.io/v1beta1",
    kind: "Provider",
    metadata: { name: "old-box", namespace: "default", uid: "1", annotations },
    status: { conditions, ...(adoption && { adoption }) },
  } as KubeObject;
}

function leftOf(object: KubeObject): readonly string[] {
  const nodes = forest([object], vocabularyOf(virtrigaud.kinds), instant(0));
  const goingOn = virtrigaud.ground.goesOn?.(object) === true ? ["1"] : [];
  return unsettled([object], nodes, new Set(goingOn)).map(({ name }) => name);
}

test("a provider that adopts has settled when it has asked for its machines", () => {
  const adopts = { "virtrigaud.io/adopt-vms": "true" };
  expect(leftOf(provider({}))).toEqual([]);
  expect(leftOf(provider(adopts))).toEqual(["old-box"]);
  expect(leftOf(provider(adopts, { message: "Provider not ready" }))).toEqual(["old-box"]);
  expect(leftOf(provider(adopts, { lastDiscoveryTime: "2026-01-01T00:00:00Z" }))).toEqual([]);
});
