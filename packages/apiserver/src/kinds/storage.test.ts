import { describe, expect, it } from "vitest";
import { builtinStrategy } from "../../test/strategies.ts";
import type { JsonObject } from "../json.ts";

const claims = builtinStrategy("", "PersistentVolumeClaim");

const claim = (spec: JsonObject): JsonObject => ({
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const refusals = (from: JsonObject, to: JsonObject) => claims.validateUpdate(claim(to), claim(from)).length;

describe("the class of a claim", () => {
  it("can be given to one that named none", () => {
    expect(refusals({}, { storageClassName: "standard" })).toBe(0);
  });

  it("does not change, be it that of no class", () => {
    expect(refusals({ storageClassName: "standard" }, { storageClassName: "other" })).toBe(1);
    expect(refusals({ storageClassName: "" }, { storageClassName: "standard" })).toBe(1);
    expect(refusals({ storageClassName: "standard" }, {})).toBe(1);
  });
});
