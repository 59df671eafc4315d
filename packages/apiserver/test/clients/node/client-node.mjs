// The official client for Node against the server: `node client-node.mjs MODULE`, MODULE being its file, KUBECONFIG set.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const k8s = await import(pathToFileURL(process.argv[2]).href);

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const namespace = "client-node";

await core.createNamespace({ body: { metadata: { name: namespace } } });
await typedCalls();
await watched();
await informed();
await customObjects();

async function typedCalls() {
  const made = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "one" }, data: { key: "1" } },
  });
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  const replaced = await core.replaceNamespacedConfigMap({
    namespace,
    name: "one",
    body: { ...made, data: { key: "2" } },
  });
  assert.equal(replaced.data.key, "2");
  await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: "one", body: made }), { code: 409 });
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: "none" }), { code: 404 });
  const patched = await core.patchNamespacedConfigMap({
    namespace,
    name: "one",
    body: [{ op: "replace", path: "/data/key", value: "3" }],
  });
  assert.equal(patched.data.key, "3");
  const list = await core.listNamespacedConfigMap({ namespace, labelSelector: "!absent" });
  assert.deepEqual(
    list.items.map((item) => item.metadata.name),
    ["one"],
  );
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "a", image: "b" }] } };
  const spec = { selector: { matchLabels: { app: "web" } }, template };
  await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: "web" }, spec } });
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: "web" });
  assert.equal(scale.spec.replicas, 1);
}

async function watched() {
  const watch = new k8s.Watch(config);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const seen = Promise.withResolvers();
  const request = await watch.watch(
    path,
    {},
    (type, object) => {
      if (object.metadata.name === "one") seen.resolve(type);
    },
    () => {},
  );
  assert.equal(await seen.promise, "ADDED");
  request.abort();
}

async function informed() {
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  );
  const next = (event, name) =>
    new Promise((resolve) => {
      informer.on(event, (object) => {
        if (object.metadata.name === name) resolve(object);
      });
    });
  const there = next("add", "one");
  await informer.start();
  await there;
  const added = next("add", "two");
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "two" } } });
  await added;
  const gone = next("delete", "two");
  await core.deleteNamespacedConfigMap({ namespace, name: "two" });
  await gone;
  await informer.stop();
}

async function customObjects() {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  await objects.create({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.clients.example.test" },
    spec: {
      group: "clients.example.test",
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const watch = new k8s.Watch(config);
  const served = Promise.withResolvers();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const request = await watch.watch(
    path,
    { fieldSelector: "metadata.name=things.clients.example.test" },
    (_, { status }) => {
      if (status?.conditions?.some((c) => c.type === "Established" && c.status === "True")) served.resolve();
    },
    () => {},
  );
  await served.promise;
  request.abort();
  const thing = {
    apiVersion: "clients.example.test/v1",
    kind: "Thing",
    metadata: { name: "one", namespace },
    spec: { size: 1 },
  };
  await objects.create(thing);
  const changed = await objects.patch(
    { ...thing, spec: { size: 2 } },
    undefined,
    undefined,
    "test",
    true,
    k8s.PatchStrategy.ServerSideApply,
  );
  assert.equal(changed.spec.size, 2);
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const list = await custom.listNamespacedCustomObject({
    group: "clients.example.test",
    version: "v1",
    namespace,
    plural: "things",
  });
  assert.equal(list.items.length, 1);
}
