import { expect, test } from "vitest";
import { container, pod } from "../../test/pod-parts.ts";
import { referenceKeys, referencesOf } from "./refers.ts";

test("everything that a pod mounts or takes variables from is found, and whether it can do without", () => {
  const it = pod({
    volumes: [
      { name: "a", configMap: { name: "settings", optional: true } },
      { name: "b", secret: { secretName: "keys" } },
      { name: "c", persistentVolumeClaim: { claimName: "data" } },
      { name: "d", projected: { sources: [{ configMap: { name: "root" } }, { secret: { name: "more" } }, {}] } },
      { name: "e", emptyDir: {} },
    ],
    initContainers: [
      container("init", { envFrom: [{ configMapRef: { name: "early" } }, { secretRef: { name: "keys" } }] }),
    ],
    containers: [
      container("main", {
        env: [
          { name: "A", value: "1" },
          { name: "B", valueFrom: { configMapKeyRef: { name: "settings", key: "b" } } },
          { name: "C", valueFrom: { secretKeyRef: { name: "keys", key: "c", optional: true } } },
        ],
      }),
    ],
  });
  const shown = referencesOf(it).map(({ kind, name, optional, by }) => {
    const where = by.is === "volume" ? by.volume : by.container;
    return `${kind} ${name} by ${where}${optional ? ", optional" : ""}`;
  });
  expect(shown).toEqual([
    "ConfigMap settings by a, optional",
    "Secret keys by b",
    "PersistentVolumeClaim data by c",
    "ConfigMap root by d",
    "Secret more by d",
    "ConfigMap early by init",
    "Secret keys by init",
    "ConfigMap settings by main",
    "Secret keys by main, optional",
  ]);
  expect(referenceKeys(it)).toEqual([
    "ConfigMap/default/settings",
    "Secret/default/keys",
    "PersistentVolumeClaim/default/data",
    "ConfigMap/default/root",
    "Secret/default/more",
    "ConfigMap/default/early",
  ]);
});
