import { expect, test } from "vitest";
import { unsupportedIn } from "./unsupported.ts";

test("what is asked for and has no effect is listed, with the way out", () => {
  const signing = { nsec3Salt: "aabb", exportToSecret: true };
  const persistentVolumeClaim = {
    claimName: "keys",
    size: "1Gi",
    accessModes: ["ReadWriteOnce" as const],
    storageClassName: "fast",
  };
  const found = unsupportedIn({ config: { dnssec: { signing } }, storage: { persistentVolumeClaim } });
  expect(found.map(({ field }) => field)).toEqual([
    "dnssec.signing.nsec3Salt",
    "dnssec.signing.exportToSecret",
    "storage.persistentVolumeClaim.size",
    "storage.persistentVolumeClaim.accessModes",
    "storage.persistentVolumeClaim.storageClassName",
  ]);
  for (const { message } of found) expect(message).toMatch(/: .*(remove the field|set this to false)$/);
});

test("nothing is listed where nothing of it is asked for", () => {
  expect(unsupportedIn({ config: {}, storage: {} })).toEqual([]);
  const signing = { exportToSecret: false, autoGenerate: true };
  const storage = { persistentVolumeClaim: { claimName: "keys" } };
  expect(unsupportedIn({ config: { dnssec: { signing } }, storage })).toEqual([]);
});
