// Both versions of LocustTest on a real kube-apiserver, which asks our webhooks over TLS. kubectl is run without blocking this
// process: it has to answer the webhooks meanwhile.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient, findConnection, httpTransport, isInvalid } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { builtin } from "@telltale/kinds";
import { CustomResourceDefinition, Namespace, ValidatingWebhookConfiguration } from "@telltale/kinds/builtin";
import { type CertificateFeed, certificates, serveWebhooks, type WebhookServer } from "@telltale/runtime/webhook";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane, until } from "../../../tools/envtest/envtest.ts";
import { standardConfig } from "../src/config.ts";
import { conversionData, conversionLossy } from "../src/kinds/conversion-data.ts";
import type { LocustTestV1 } from "../src/kinds/convert.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { configurationName, locustWebhooks, webhookManifests } from "../src/webhooks/table.ts";
import { fullV1Spec, minimalV1Spec, plainV2Spec, richV2Spec, runningStatus } from "./objects.ts";

const OldLocustTest = builtin<LocustTestV1>()({ group: "locust.io", version: "v1", kind: "LocustTest" });
const namespace = "perf";
const assets = assetsFor("the versions of LocustTest");

describe.skipIf(assets === undefined)("a real API server", () => {
  let plane: ControlPlane;
  let client: Client;
  let feed: CertificateFeed;
  let served: WebhookServer;
  let folder: string;
  const warnings: string[] = [];

  const run = promisify(execFile);
  const kubectl = (...args: string[]) =>
    run(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, "--namespace", namespace, ...args]);
  const manifest = (object: object): string => {
    const path = join(folder, "manifest.json");
    writeFileSync(path, JSON.stringify(object));
    return path;
  };
  const v1Manifest = (name: string, spec: object) => ({
    apiVersion: "locust.io/v1",
    kind: "LocustTest",
    metadata: { name },
    spec,
  });
  const make = (name: string, spec: LocustTest["spec"], options = {}) => {
    const object = { apiVersion: "locust.io/v2", kind: "LocustTest", metadata: { name, namespace }, spec };
    return client.create(LocustTest, object, options);
  };
  const read = (name: string) => client.get(LocustTest, name, { namespace });
  const readV1 = (name: string) => client.get(OldLocustTest, name, { namespace });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "telltale-locust-"));
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({
      transport: httpTransport(connection),
      clock: systemClock,
      random: systemRandom,
      onWarning: (text) => warnings.push(text),
    });
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.create(Namespace, { metadata: { name: "ops" } });
    const hooks = locustWebhooks({ clock: systemClock, config: standardConfig });
    feed = certificates({
      client,
      clock: systemClock,
      random: systemRandom,
      namespace: "ops",
      service: "locust-webhooks",
      secret: "locust-webhooks-tls",
      hosts: ["127.0.0.1"],
      publish: [
        { in: "validating", name: configurationName },
        { in: "conversion", name: "locusttests.locust.io" },
      ],
    });
    await feed.check();
    served = await serveWebhooks({
      hooks,
      certificates: feed,
      clock: systemClock,
      listen: { host: "127.0.0.1", port: 0 },
    });
    const { crd, validating } = webhookManifests(hooks, { url: `https://127.0.0.1:${served.port}` });
    await client.create(CustomResourceDefinition, crd);
    await client.create(ValidatingWebhookConfiguration, validating);
    await feed.check();
    // A real server hears of its own definitions and configurations with a delay.
    const dry = (name: string) => make(name, plainV2Spec, { dryRun: true }).then(() => "taken", String);
    await until(
      "the webhook is asked",
      () => dry("1demo"),
      (answer) => answer.includes("must start with a letter"),
    );
    await until(
      "v1 is served",
      () => readV1("none").catch(String),
      (answer) => String(answer).includes('"none" not found'),
    );
  });
  afterAll(async () => {
    await feed?.stop();
    await client?.close();
    await plane?.stop();
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("accepts the definition, both versions of it", async () => {
    const { status } = await client.get(CustomResourceDefinition, "locusttests.locust.io");
    const conditions = Object.fromEntries((status?.conditions ?? []).map(({ type, status: is }) => [type, is]));
    expect(conditions).toMatchObject({ Established: "True", NamesAccepted: "True" });
    expect(conditions).not.toHaveProperty("NonStructuralSchema");
    expect(feed.trouble()).toBeUndefined();
  });

  test("reads a v1 manifest as v2 and back without loss, and shows it in the columns of each", async () => {
    await kubectl("apply", "-f", manifest(v1Manifest("old", fullV1Spec)));
    const { spec } = await read("old");
    expect(spec).toMatchObject({ image: fullV1Spec.image, master: { autostart: true }, worker: { replicas: 3 } });
    const back = await readV1("old");
    expect(back.spec).toEqual(fullV1Spec);
    expect(Object.keys(back.metadata.annotations ?? {})).not.toContain(conversionData);
    await kubectl("apply", "-f", manifest(v1Manifest("old", fullV1Spec)));
    expect((await read("old")).metadata.generation).toBe(1);

    const { stdout } = await kubectl("get", "locusttests.v1.locust.io", "old");
    expect(stdout.split("\n")[0]?.split(/ {2,}/)).toEqual([
      "NAME",
      "MASTER_CMD",
      "WORKER_REPLICA_COUNT",
      "IMAGE",
      "AGE",
    ]);
    const short = await kubectl("get", "lotest", "old");
    expect(short.stdout.split("\n")[0]?.split(/\s+/)).toEqual([
      "NAME",
      "PHASE",
      "WORKERS",
      "CONNECTED",
      "USERS",
      "PROGRESS",
      "AGE",
    ]);
  });

  test("A85 kubectl annotate through v1 keeps the status of a running test and all that only v2 has", async () => {
    await make("running", richV2Spec);
    await client.status.patch(LocustTest, { name: "running", namespace }, { merge: { status: runningStatus } });
    const before = await read("running");
    const { stderr } = await kubectl("annotate", "locusttests.v1.locust.io", "running", "a=b");
    expect(stderr).toContain("locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2");
    const { spec, status, metadata } = await read("running");
    expect([spec, status, metadata.generation]).toEqual([before.spec, before.status, before.metadata.generation]);
    expect(metadata.annotations).toEqual({ a: "b" });
  });

  test("keeps what only v2 has when a v1 manifest is applied, by the client and by the server, and drops it when it is replaced", async () => {
    await kubectl("apply", "-f", manifest(v1Manifest("mixed", minimalV1Spec)));
    const { env, volumes, volumeMounts } = richV2Spec;
    const extra = { env, volumes, volumeMounts, master: { extraArgs: ["--reset-stats"] } };
    await client.patch(LocustTest, { name: "mixed", namespace }, { merge: { spec: extra } });
    await kubectl("apply", "-f", manifest(v1Manifest("mixed", { ...minimalV1Spec, workerReplicas: 7 })));
    expect((await read("mixed")).spec).toMatchObject({ ...extra, worker: { replicas: 7 } });
    const nine = manifest(v1Manifest("mixed", { ...minimalV1Spec, workerReplicas: 9 }));
    await kubectl("apply", "--server-side", "--force-conflicts", "-f", nine);
    expect((await read("mixed")).spec).toMatchObject({ ...extra, worker: { replicas: 9 } });
    await kubectl("replace", "-f", manifest(v1Manifest("mixed", minimalV1Spec)));
    const { spec } = await read("mixed");
    expect(spec).not.toHaveProperty("env");
    expect(spec.master).not.toHaveProperty("extraArgs");
  });

  test("carries a spec of almost 200 KiB through v1, and says where it is more", async () => {
    const heavy = (name: string, bytes: number) =>
      make(name, { ...plainV2Spec, master: { ...plainV2Spec.master, extraArgs: ["x".repeat(bytes)] } });
    await heavy("heavy", 199 * 1024);
    await kubectl("annotate", "locusttests.v1.locust.io", "heavy", "a=b");
    expect((await read("heavy")).spec.master.extraArgs?.[0]).toHaveLength(199 * 1024);
    await heavy("heavier", 210 * 1024);
    expect((await readV1("heavier")).metadata.annotations).toEqual({ [conversionLossy]: "true" });
  });

  test("stores nothing that v2 would not take from what a v1 object claims to carry", async () => {
    const data =
      '{"v":2,"spec":{"image":"a","master":{"command":"a"},"worker":{"command":"a","replicas":9},"env":"x","__proto__":{}}}';
    const object = v1Manifest("hostile", minimalV1Spec);
    await kubectl(
      "create",
      "-f",
      manifest({ ...object, metadata: { name: "hostile", annotations: { [conversionData]: data } } }),
    );
    const { spec, metadata } = await read("hostile");
    expect([spec.worker.replicas, spec.env, metadata.annotations]).toEqual([1, undefined, undefined]);
  });

  test("has bad tests refused in both versions, and odd ones warned about", async () => {
    const refused = await make("bad", { ...plainV2Spec, volumes: [{ name: "locust-lib" }] }).catch(
      (error: unknown) => error,
    );
    expect(isInvalid(refused)).toBe(true);
    expect(String(refused)).toContain('spec.volumes[0].name: "locust-lib" is reserved by the operator');
    await expect(kubectl("create", "-f", manifest(v1Manifest("a".repeat(57), minimalV1Spec)))).rejects.toThrow(
      "63 characters",
    );
    warnings.length = 0;
    await make("odd", { ...plainV2Spec, image: "locustio/locust" });
    expect(warnings).toEqual([expect.stringContaining("mutable tag")]);
    await client.status.patch(LocustTest, { name: "odd", namespace }, { merge: { status: runningStatus } });
    const { stderr } = await kubectl(
      "patch",
      "lotest",
      "odd",
      "--type=merge",
      "-p",
      '{"spec":{"worker":{"replicas":5}}}',
    );
    expect(stderr).toContain("the change is ignored; delete and recreate the LocustTest to apply it");
  });
});
