import { describe, expect, it } from "vitest";
import { placementPayload } from "./placement.ts";

describe("placement_json", () => {
  it("is left out where there is nothing to say", () => {
    expect(placementPayload(undefined, {})).toBeNull();
  });

  it("the machine's own word wins over the provider's; a datastore over a storage pod", () => {
    const defaults = { cluster: "c", datastore: "ds", resourcePool: "p" };
    expect(placementPayload({ storagePod: "pod", host: "h" }, defaults)).toEqual({
      Datastore: "",
      StoragePod: "pod",
      Cluster: "c",
      Folder: "",
      Host: "h",
      ResourcePool: "p",
    });
    expect(placementPayload({ storagePod: "pod", datastore: "d" })).toMatchObject({ Datastore: "d", StoragePod: "" });
  });
});
