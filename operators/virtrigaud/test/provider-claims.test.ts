// Staging claims of migrations in the pods of a provider, on a server in virtual time (3.2 step 6).
import { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { Provider, VMMigration } from "../src/kinds/index.ts";
import { volumeOf } from "../src/provider/runtime-names.ts";
import { type ProviderStage, providerStage } from "./provider-stage.ts";
import { namespace } from "./stage.ts";

let it: ProviderStage | undefined;
afterEach(async () => {
  await it?.end();
  it = undefined;
});

const claim = (name: string, migration: string, finalizers?: string[]) => ({
  apiVersion: "v1" as const,
  kind: "PersistentVolumeClaim" as const,
  metadata: {
    name,
    namespace,
    labels: { "virtrigaud.io/component": "migration-storage", "virtrigaud.io/migration": migration },
    ...(finalizers === undefined ? {} : { finalizers }),
  },
  spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
});

const mounted = async () =>
  (await it?.deployment())?.spec?.template.spec?.volumes?.flatMap(
    ({ persistentVolumeClaim: of }) => of?.claimName ?? [],
  );

test("staging claims are mounted, all of them, and never one that is going away (L-13)", async () => {
  it = await providerStage();
  await it.running();
  await it.client.create(PersistentVolumeClaim, claim("stage-b", "m2"));
  await it.client.create(PersistentVolumeClaim, claim("stage.a", "m1", ["example.com/held"]));
  const { metadata, ...other } = claim("private", "x");
  await it.client.create(PersistentVolumeClaim, { ...other, metadata: { name: metadata.name, namespace } });
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-b", "stage.a"]);
  const [container] = (await it.deployment())?.spec?.template.spec?.containers ?? [];
  expect(container?.volumeMounts).toContainEqual({
    name: volumeOf("stage.a"),
    mountPath: "/mnt/migration-storage/stage.a",
  });
  expect(volumeOf("stage.a")).toMatch(/^migration-stage-a-[0-9a-f]{10}$/);
  expect(volumeOf("x".repeat(100)).length).toBeLessThanOrEqual(63);
  await it.remove(PersistentVolumeClaim, "stage.a");
  await it.pass(1_000);
  expect((await it.get(PersistentVolumeClaim, "stage.a"))?.metadata?.deletionTimestamp).toBeDefined();
  expect(await mounted()).toEqual(["stage-b"]);
});

const migration = (name: string) => ({
  source: { vmRef: { name: "web" }, providerRef: { name: "box" } },
  target: { name: `${name}-new`, providerRef: { name: "elsewhere" } },
  storage: { type: "pvc" as const, pvc: { name } },
});

test("a claim waits while another migration copies through the provider, and a change of the spec does not", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VMMigration, "copying", migration("copying"));
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Exporting" } } },
  );
  await it.client.create(PersistentVolumeClaim, claim("stage-2", "second"));
  await it.pass(1_000);
  expect(await mounted()).toEqual([]);
  expect(await it.says("RuntimeReady")).toBe("True DeploymentReady rollout postponed: 1 transfers running");
  expect(await it.says()).toMatch(/^True/);
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Transferring" } } },
  );
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-2"]);
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Exporting" } } },
  );
  await it.client.create(PersistentVolumeClaim, claim("stage-3", "third"));
  await it.patch(Provider, "box", { spec: { runtime: { image: "example/qemu-provider:next" } } });
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-2", "stage-3"]);
});

test("its own claim does not wait for the migration that it is for", async () => {
  it = await providerStage();
  await it.running();
  await it.apply(VMMigration, "copying", migration("copying"));
  await it.client.status.patch(
    VMMigration,
    { name: "copying", namespace },
    { merge: { status: { phase: "Exporting" } } },
  );
  await it.client.create(PersistentVolumeClaim, claim("stage-1", "copying"));
  await it.pass(1_000);
  expect(await mounted()).toEqual(["stage-1"]);
});
