// A migration over a claim of a person's, as the tests of its Jobs take it.
import { VMMigration } from "../src/kinds/index.ts";

export const migrationOf = (name = "a", more: Partial<VMMigration["spec"]> = {}): VMMigration => ({
  apiVersion: VMMigration.apiVersion,
  kind: VMMigration.kind,
  metadata: { name, namespace: "demo" },
  spec: {
    source: { vmRef: { name: "web" } },
    target: { name: "web2", providerRef: { name: "new" } },
    storage: { type: "pvc", pvc: { name: "shared" } },
    ...more,
  },
});
