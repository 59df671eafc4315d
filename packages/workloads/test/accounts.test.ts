// What every namespace has: an account and a certificate.
import { ConfigMap, Namespace, ServiceAccount } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { rootCertificates } from "../src/account/root-certificate.ts";
import { serviceAccounts } from "../src/account/service-accounts.ts";
import { type Cluster, cluster } from "./cluster.ts";

const both = (certificate = "PEM") => [rootCertificates(certificate), serviceAccounts()];
const background = { propagation: "Background" } as const;
const map = "kube-root-ca.crt";

let it: Cluster;
afterEach(() => it.end());

const made = (name: string) => it.client.create(Namespace, { metadata: { name } });
const accounts = async (namespace: string) =>
  (await it.client.list(ServiceAccount, { namespace })).items.map(({ metadata }) => metadata?.name);
const certificate = async (namespace: string) =>
  (await it.client.list(ConfigMap, { namespace })).items.find(({ metadata }) => metadata?.name === map);

test("old and new namespaces have them", async () => {
  it = await cluster(both());
  await made("n");
  await it.pass();
  for (const namespace of ["default", "kube-system", "n"]) {
    expect(await accounts(namespace)).toEqual(["default"]);
    const { metadata, data } = (await certificate(namespace)) ?? {};
    expect(data).toEqual({ "ca.crt": "PEM" });
    expect(metadata?.annotations?.["kubernetes.io/description"]).toMatch(/^Contains a CA bundle/);
  }
});

test("they come back when deleted, and the certificate when changed", async () => {
  it = await cluster(both());
  await it.client.delete(ServiceAccount, { name: "default", namespace: "default" }, background);
  await it.client.delete(ConfigMap, { name: map, namespace: "default" }, background);
  await it.pass();
  expect(await accounts("default")).toEqual(["default"]);
  expect(await certificate("default")).toBeDefined();
  const merge = {
    data: { "ca.crt": "forged", more: "x" },
    metadata: { annotations: { "kubernetes.io/description": null, note: "mine" } },
  };
  await it.client.patch(ConfigMap, { name: map, namespace: "default" }, { merge });
  await it.pass();
  const { metadata, data } = (await certificate("default")) ?? {};
  expect(data).toEqual({ "ca.crt": "PEM" });
  expect(Object.keys(metadata?.annotations ?? {}).toSorted()).toEqual(["kubernetes.io/description", "note"]);
});

test("a new certificate replaces the old one everywhere", async () => {
  it = await cluster(both("old"));
  await it.pass();
  await it.restart(both("new"));
  await it.pass();
  expect((await certificate("kube-system"))?.data).toEqual({ "ca.crt": "new" });
});

test("other accounts and maps are nobody's business", async () => {
  it = await cluster(both());
  it.writes();
  it.passes();
  await it.client.create(ConfigMap, { metadata: { name: "mine", namespace: "default" }, data: { a: "b" } });
  await it.client.create(ServiceAccount, { metadata: { name: "mine", namespace: "default" } });
  await it.pass();
  expect(it.writes()).toEqual([]);
  expect(it.passes()).toBe(0);
});

test("nothing is made in a namespace that goes away, and nobody complains", async () => {
  it = await cluster(both());
  await made("n");
  await it.client.create(ConfigMap, { metadata: { name: "held", namespace: "n", finalizers: ["example.test/hold"] } });
  await it.pass();
  await it.client.delete(Namespace, { name: "n" }, background);
  await it.pass(60_000);
  expect(await accounts("n")).toEqual([]);
  expect(await certificate("n")).toBeUndefined();
  expect(it.complaints).toEqual([]);
});

test("a server that fails for a while gets them afterwards", async () => {
  it = await cluster([]);
  it.server.faults.add({ match: { verbs: ["create"], namespace: "n" }, times: 12, effect: { status: 503 } });
  it.server.faults.add({
    match: { verbs: ["create"], namespace: "n" },
    times: 2,
    effect: { status: 500, commit: true },
  });
  await made("n");
  await it.restart(both());
  await it.pass(300_000);
  expect(await accounts("n")).toEqual(["default"]);
  expect(await certificate("n")).toBeDefined();
});

test("once settled, nothing is written and nobody wakes", async () => {
  it = await cluster(both());
  await it.pass(1000);
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.passes()).toBe(0);
  await it.restart(both());
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
