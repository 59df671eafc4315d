// The samples as a person applies them: the server takes each of them strictly, and the objects that are built from them.
import { readdirSync, readFileSync } from "node:fs";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { type KindRef, type KubeObject, toCrd } from "@telltale/kinds";
import { ConfigMap, Job, NetworkPolicy, PersistentVolumeClaim, Secret, Service } from "@telltale/kinds/builtin";
import { webhooks } from "@telltale/runtime/webhook";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildJob, buildService, notesOn } from "../src/build/index.ts";
import { standardConfig } from "../src/config.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { masterPolicy } from "../src/manifests/index.ts";
import { validate } from "../src/validate.ts";

const folder = new URL("../samples/", import.meta.url);
const files = readdirSync(folder);
const documentsOf = (file: string) => readFileSync(new URL(file, folder), "utf8").split(/^---$/m);

const conversion = { service: { namespace: "operators", name: "locust", path: "/convert" } };
let server: ApiServer;

beforeEach(async () => {
  const clock = new VirtualClock();
  const hooks = webhooks({ clock }).convert(LocustTest);
  server = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    objects: [toCrd(LocustTest, { conversion }), { apiVersion: "v1", kind: "Namespace", metadata: { name: "perf" } }],
    webhookResolver: () => hooks.local("/convert"),
  });
});
afterEach(() => server.stop());

interface Made {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly object: KubeObject;
}

/** As kubectl does it: a wrong or repeated field is an error. */
async function make(kind: Pick<KindRef, "group" | "plural">, version: string, body: string): Promise<Made> {
  const root = kind.group === "" ? "/api" : `/apis/${kind.group}`;
  const answer = await server.client({
    method: "POST",
    path: `${root}/${version}/namespaces/perf/${kind.plural}?fieldValidation=Strict`,
    headers: { "content-type": "application/yaml", accept: "application/json" },
    body,
  });
  const warnings = [answer.headers["warning"] ?? []].flat();
  return { status: answer.status, warnings, object: JSON.parse(answer.body) };
}

const kinds: readonly KindRef[] = [ConfigMap, Secret, PersistentVolumeClaim, NetworkPolicy, LocustTest];

async function apply(document: string): Promise<Made> {
  const apiVersion = /^apiVersion: (\S+)$/m.exec(document)?.[1] ?? "";
  const name = /^kind: (\S+)$/m.exec(document)?.[1];
  const kind = kinds.find((it) => it.kind === name);
  if (kind === undefined) throw new Error(`a sample of the kind ${name}: add it to this test`);
  return make(kind, apiVersion.split("/").at(-1) ?? "", document);
}

/** The test of a sample, as the server hands it out in v2. */
async function stored(name: string): Promise<LocustTest> {
  const path = `/apis/locust.io/v2/namespaces/perf/locusttests/${name}`;
  return JSON.parse((await server.client({ method: "GET", path })).body);
}

describe.each(files)("%s", (file) => {
  test("is accepted, and kubectl has nothing to warn of but an old version", async () => {
    for (const document of documentsOf(file)) {
      const { status, warnings, object } = await apply(document);
      expect(status, JSON.stringify(object)).toBe(201);
      const isOld = object.apiVersion === "locust.io/v1";
      expect(warnings).toEqual(isOld ? ['299 - "locust.io/v1 LocustTest is deprecated, migrate to locust.io/v2"'] : []);
    }
  });

  test("names only ConfigMaps, Secrets and claims that it brings along", async () => {
    const made = await Promise.all(documentsOf(file).map(apply));
    const has = (kind: string) =>
      made.filter(({ object }) => object.kind === kind).map((it) => it.object.metadata?.name);
    for (const { object } of made.filter((it) => it.object.kind === "LocustTest")) {
      const { testFiles, env, volumes } = (await stored(object.metadata?.name ?? "")).spec;
      const configMaps = [
        testFiles?.configMapRef,
        testFiles?.libConfigMapRef,
        ...(env?.configMapRefs ?? []).map(nameOf),
      ];
      const secrets = [...(env?.secretRefs ?? []), ...(env?.secretMounts ?? [])].map(nameOf);
      const claims = (volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName);
      expect(has("ConfigMap")).toEqual(expect.arrayContaining(configMaps.filter(Boolean)));
      expect(has("Secret")).toEqual(expect.arrayContaining(secrets));
      expect(has("PersistentVolumeClaim")).toEqual(expect.arrayContaining(claims.filter(Boolean)));
    }
  });

  test("breaks no rule, and there is nothing odd about it", async () => {
    const made = await Promise.all(documentsOf(file).map(apply));
    for (const { object } of made.filter((it) => it.object.kind === "LocustTest")) {
      expect(validate(await stored(object.metadata?.name ?? ""))).toEqual({ errors: [], warnings: [] });
    }
  });

  test("becomes objects that the server accepts as strictly", async () => {
    const made = await Promise.all(documentsOf(file).map(apply));
    for (const { object } of made.filter((it) => it.object.kind === "LocustTest")) {
      const it = await stored(object.metadata?.name ?? "");
      const config = { ...standardConfig, affinityInjection: true, tolerationInjection: true };
      expect(notesOn(it.spec, config)).toEqual([]);
      const built: [KindRef, object][] = [
        [Service, buildService(it, config)],
        [Job, buildJob(it, "master", config)],
        [Job, buildJob(it, "worker", config)],
      ];
      for (const [kind, child] of built) {
        const answer = await make(kind, "v1", JSON.stringify(child));
        expect(answer.status, JSON.stringify(answer.object)).toBe(201);
        expect(answer.warnings).toEqual([]);
      }
    }
  });
});

const nameOf = ({ name }: { readonly name: string }): string => name;

test("the sample of a network policy is the one that we make", async () => {
  const [document = ""] = documentsOf("network-policy.yaml");
  const { object } = await apply(document);
  const made = masterPolicy("minimal", "perf", { operator: "locust-operator", monitoring: "monitoring" });
  expect(object).toMatchObject(made);
});

test("a misspelt field is not accepted, so that the tests above mean something", async () => {
  const [, document = ""] = documentsOf("minimal.yaml");
  const { status, object } = await apply(document.replace("replicas:", "replica:"));
  expect(status).toBe(400);
  expect(JSON.stringify(object)).toContain("spec.worker.replica");
});

test("a variable that the operator and the test both set is accepted, and the test's comes last", async () => {
  const [, document = ""] = documentsOf("minimal.yaml");
  await apply(document);
  const it = await stored("minimal");
  const kafka = {
    bootstrapServers: "kafka:9092",
    securityEnabled: false,
    securityProtocol: "PLAINTEXT",
    saslMechanism: "PLAIN",
  };
  const variables = [{ name: "KAFKA_BOOTSTRAP_SERVERS", value: "mine:9092" }];
  const job = buildJob({ ...it, spec: { ...it.spec, env: { variables } } }, "master", { ...standardConfig, kafka });
  const { status, object } = await make(Job, "v1", JSON.stringify(job));
  expect(status).toBe(201);
  const env = (object as Job).spec?.template.spec?.containers[0]?.env ?? [];
  expect(env.at(-1)).toEqual({ name: "KAFKA_BOOTSTRAP_SERVERS", value: "mine:9092" });
});
