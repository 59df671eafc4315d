import { expect, test } from "vitest";
import { container, nothing, pod } from "../../test/pod-parts.ts";
import { missingOf } from "./missing.ts";

const env = (name: string, optional = false) => [
  { name: "A", valueFrom: { configMapKeyRef: { name, key: "a", optional } } },
];

test("a volume that cannot be mounted, and a variable that is not there", () => {
  const it = pod({
    volumes: [{ name: "files", configMap: { name: "settings" } }],
    containers: [container("main", { env: env("settings") }), container("other")],
  });
  const { volume, variables } = missingOf(it, nothing);
  expect(volume).toBe('MountVolume.SetUp failed for volume "files" : configmap "settings" not found');
  expect([...variables]).toEqual([["main", 'configmap "settings" not found']]);
});

test("nothing is missing that is there, can be done without, or is given to every pod", () => {
  const there = { ...nothing, configMap: () => ({}), secret: () => ({}), claim: () => ({}) };
  const it = pod({
    volumes: [
      { name: "a", configMap: { name: "settings" } },
      { name: "b", secret: { secretName: "keys" } },
      { name: "c", persistentVolumeClaim: { claimName: "data" } },
    ],
  });
  expect(missingOf(it, there)).toEqual({ variables: new Map() });
  const easy = pod({
    volumes: [
      { name: "a", configMap: { name: "settings", optional: true } },
      { name: "kube-api-access-1", projected: { sources: [{ configMap: { name: "kube-root-ca.crt" } }] } },
    ],
    containers: [container("main", { env: env("settings", true) })],
  });
  expect(missingOf(easy, nothing)).toEqual({ variables: new Map() });
});

test("a claim is missing until it is bound, where claims can be asked for at all", () => {
  const it = pod({ volumes: [{ name: "c", persistentVolumeClaim: { claimName: "data" } }] });
  expect(missingOf(it, { ...nothing, claim: () => undefined }).volume).toContain(
    'persistentvolumeclaim "data" not found',
  );
  expect(missingOf(it, nothing).volume).toBeUndefined();
});
