// The client on a real kube-apiserver: every verb once, and each refusal that it has a name for.
import { seededRandom, systemClock } from "@telltale/clock";
import { ConfigMap, Deployment, Namespace } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import { createClient } from "./client.ts";
import * as errors from "./errors.ts";
import { httpTransport } from "./http.ts";
import { discover } from "./rest-mapping.ts";
import { findConnection } from "./system.ts";
import type { Client } from "./verbs.ts";

const assets = assetsFor("packages/client");

describe.skipIf(assets === undefined)("on a real API server, the client", () => {
  let plane: ControlPlane;
  let client: Client;
  const warnings: string[] = [];
  const background = { propagation: "Background" } as const;
  const caught = (work: Promise<unknown>) =>
    work.then(
      () => "it worked",
      (error: unknown) => error,
    );
  const map = (name: string, data: Record<string, string> = { a: "1" }) => ({
    metadata: { name, namespace: "web" },
    data,
  });
  const ref = (name: string) => ({ name, namespace: "web" });

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({
      transport: httpTransport(connection),
      clock: systemClock,
      random: seededRandom(1),
      fieldManager: "telltale",
      onWarning: (text) => warnings.push(text),
    });
    await client.create(Namespace, { metadata: { name: "web" } });
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  it("reads what it wrote, page by page", async () => {
    for (const name of ["p1", "p2", "p3", "p4", "p5"]) await client.create(ConfigMap, map(name));
    const names: (string | undefined)[] = [];
    for await (const it of client.all(ConfigMap, { namespace: "web", limit: 2, fieldSelector: "metadata.name!=x" })) {
      names.push(it.metadata?.name);
    }
    expect(names).toEqual(["p1", "p2", "p3", "p4", "p5"]);
  });

  it("writes in every way, and a watch tells of it", async () => {
    const { resourceVersion } = await client.list(ConfigMap, { namespace: "web" });
    const created = await client.create(ConfigMap, map("w"));
    await client.update(ConfigMap, { ...created, data: { a: "2" } });
    await client.patch(ConfigMap, ref("w"), { merge: { data: { b: "1" } } });
    await client.patch(ConfigMap, ref("w"), { strategic: { data: { c: "1" } } });
    await client.patch(ConfigMap, ref("w"), { json: [{ op: "add", path: "/data/d", value: "1" }] });
    const applied = await client.apply(ConfigMap, map("w", { e: "1" }));
    expect(applied.data).toEqual({ a: "2", b: "1", c: "1", d: "1", e: "1" });
    await client.delete(ConfigMap, ref("w"), { ...background, uid: created.metadata?.uid ?? "" });
    const events: string[] = [];
    for await (const { type, object } of client.watch(ConfigMap, { namespace: "web", resourceVersion })) {
      events.push(`${type} ${object.metadata?.name}`);
      if (type === "DELETED") break;
    }
    expect(events).toEqual(["ADDED w", ...Array.from({ length: 5 }, () => "MODIFIED w"), "DELETED w"]);
  });

  it("begins a watch with what there is", async () => {
    const types: string[] = [];
    for await (const { type } of client.watch(ConfigMap, { namespace: "web", sendInitialEvents: true })) {
      types.push(type);
      if (type === "BOOKMARK") break;
    }
    expect(types).toEqual(["ADDED", "ADDED", "ADDED", "ADDED", "ADDED", "BOOKMARK"]);
  });

  it("has a name for each refusal", async () => {
    const created = await client.create(ConfigMap, map("r"));
    await client.patch(ConfigMap, ref("r"), { merge: { data: { a: "2" } } });
    const test = { op: "test", path: "/metadata/uid", value: "x" } as const;
    const cases: [keyof typeof errors, () => Promise<unknown>][] = [
      ["isConflict", () => client.update(ConfigMap, created)],
      ["isConflict", () => client.patch(ConfigMap, ref("r"), { json: [test] })],
      ["isConflict", () => client.apply(ConfigMap, map("r", { a: "9" }), { fieldManager: "other" })],
      ["isConflict", () => client.delete(ConfigMap, ref("r"), { ...background, uid: "x" })],
      ["isAlreadyExists", () => client.create(ConfigMap, map("r"))],
      ["isNotFound", () => client.get(ConfigMap, "none", { namespace: "web" })],
      ["isInvalid", () => client.create(ConfigMap, map("A B"))],
      ["isInvalid", () => client.patch(ConfigMap, ref("r"), { merge: { data: { "a b": "1" } } })],
    ];
    for (const [name, work] of cases) {
      const error = await caught(work());
      const known = Object.entries(errors).flatMap(([predicate, test]) =>
        predicate.startsWith("is") && (test as (error: unknown) => boolean)(error) ? [predicate] : [],
      );
      expect(known, String(error)).toEqual([name]);
    }
  });

  it("reaches status, scale and other subresources", async () => {
    const labels = { app: "d" };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    };
    await client.create(Deployment, { metadata: ref("d"), spec });
    await client.scale.patch(Deployment, ref("d"), { merge: { spec: { replicas: 3 } } });
    expect((await client.scale.get(Deployment, ref("d"))).spec?.replicas).toBe(3);
    await client.status.patch(Deployment, ref("d"), { merge: { status: { replicas: 2 } } });
    const { status } = await client.status.apply(Deployment, { metadata: ref("d"), status: { readyReplicas: 1 } });
    expect(status).toMatchObject({ replicas: 2, readyReplicas: 1 });
    expect(await client.subresource(Deployment, ref("d"), "status")).toMatchObject({ kind: "Deployment" });
  });

  it("is refused or warned of unknown fields, as it asks for", async () => {
    const typo = { ...map("t"), dta: {} };
    expect(await caught(client.create(ConfigMap, typo, { fieldValidation: "Strict" }))).toMatchObject({ code: 400 });
    await client.create(ConfigMap, typo, { dryRun: true });
    await client.create(ConfigMap, typo, { dryRun: true });
    expect(warnings).toEqual([`unknown field "dta"`]);
  });

  it("finds what the server has, the short way and the long way alike", async () => {
    const short = await discover(client);
    const plain: Client = {
      ...client,
      request: (raw) => client.request({ ...raw, headers: { accept: "application/json" } }),
    };
    const long = await discover(plain);
    const key = (it: { apiVersion: string; plural: string }) => `${it.apiVersion}/${it.plural}`;
    const sorted = (all: typeof short) => [...all.resources].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(long)).toEqual(sorted(short));
    expect(short.find({ name: "deploy" })).toMatchObject({ apiVersion: "apps/v1", scope: "Namespaced" });
    expect(short.resources.length).toBeGreaterThan(50);
  });

  it("acts as someone else, in several groups", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": ["dev", "system:authenticated"] };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { text } = await client.request({ method: "POST", path, headers, body });
    expect(JSON.parse(text)).toMatchObject({
      status: { userInfo: { username: "jane", groups: ["dev", "system:authenticated"] } },
    });
  });

  it("empties a collection", async () => {
    await client.deleteCollection(ConfigMap, { ...background, namespace: "web" });
    expect((await client.list(ConfigMap, { namespace: "web" })).items).toEqual([]);
  });
});
