// The same seed and the same requests give the same bytes: answers, watches and what is stored. Another seed gives other
// uids and made-up names, and nothing else.
import { createHash } from "node:crypto";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../src/index.ts";

const json = "application/json";
const merge = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/same.io/v1/namespaces/default/widgets";

const config = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { a: "1" } });
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = {
  metadata: { name: "d" },
  spec: { replicas: 2, selector: { matchLabels: { app: "a" } }, template },
};
const widget = (more: object) => ({ apiVersion: "same.io/v1", kind: "Widget", metadata: { name: "w" }, ...more });
const definition = {
  metadata: { name: "widgets.same.io" },
  spec: {
    group: "same.io",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [{ name: "Replicas", type: "integer", jsonPath: ".spec.replicas" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  replicas: { type: "integer", default: 1 },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

type Step = readonly [
  method: string,
  path: string,
  body?: object | ((uid: (path: string) => string) => object),
  type?: string,
];

const steps: readonly Step[] = [
  ["POST", configMaps, config("a", { labels: { x: "1" }, finalizers: ["same.io/hold"] })],
  ["POST", configMaps, config("b")],
  ["POST", configMaps, { metadata: { generateName: "made-" } }],
  ["POST", configMaps, config("a")],
  ["PUT", `${configMaps}/b`, { ...config("b", { labels: { x: "1" } }), data: { a: "2" } }],
  ["PATCH", `${configMaps}/a`, { data: { b: "2" } }, merge],
  ["PATCH", `${configMaps}/b`, [{ op: "replace", path: "/data/a", value: "3" }], jsonPatch],
  ["POST", deployments, deployment],
  [
    "PATCH",
    `${deployments}/d`,
    { spec: { template: { spec: { containers: [{ name: "c2", image: "j" }] } } } },
    strategic,
  ],
  [
    "PATCH",
    `${configMaps}/applied?fieldManager=one`,
    { apiVersion: "v1", kind: "ConfigMap", ...config("applied") },
    apply,
  ],
  [
    "PATCH",
    `${configMaps}/applied?fieldManager=two`,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { a: "9" } },
    apply,
  ],
  [
    "PATCH",
    `${configMaps}/applied?fieldManager=two&force=true`,
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { a: "9", b: "2" } },
    apply,
  ],
  ["POST", definitions, definition],
  ["POST", widgets, widget({ spec: { tags: ["p"] } })],
  ["PATCH", `${widgets}/w?fieldManager=one&force=true`, widget({ spec: { tags: ["q"] } }), apply],
  ["PATCH", `${widgets}/w/status`, { status: { replicas: 3 } }, merge],
  ["PATCH", `${widgets}/w/scale`, { spec: { replicas: 5 } }, merge],
  ["GET", `${configMaps}?limit=2`],
  ["GET", "/apis"],
  ["DELETE", `${configMaps}/a`],
  ["PATCH", `${configMaps}/a`, { metadata: { finalizers: null } }, merge],
  // Owners and what they own: one taken away behind its owner, one before it.
  ["POST", configMaps, config("owner")],
  [
    "POST",
    configMaps,
    (uid) =>
      config("owned", {
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: uid(`${configMaps}/owner`) }],
      }),
  ],
  [
    "POST",
    configMaps,
    (uid) =>
      config("grandchild", {
        ownerReferences: [
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            name: "owned",
            uid: uid(`${configMaps}/owned`),
            blockOwnerDeletion: true,
          },
        ],
      }),
  ],
  ["DELETE", `${configMaps}/owned?propagationPolicy=Foreground`],
  ["DELETE", `${configMaps}/owner`],
  ["POST", "/api/v1/namespaces", { metadata: { name: "brief" } }],
  ["POST", "/api/v1/namespaces/brief/configmaps", config("inside")],
  ["POST", "/apis/same.io/v1/namespaces/brief/widgets", widget({})],
  ["DELETE", "/api/v1/namespaces/brief"],
  ["GET", "/api/v1/namespaces/brief"],
  ["DELETE", `${definitions}/widgets.same.io`],
  ["GET", widgets],
  ["DELETE", configMaps],
];

interface Transcript {
  readonly answers: string[];
  readonly watches: string[];
  readonly stored: string;
}

async function play(seed: number): Promise<Transcript> {
  const clock = new VirtualClock();
  const server = await startApiServer({ listen: false, clock, random: seededRandom(seed) });
  const watches = [
    await follow(server, `${configMaps}?watch=1`),
    await follow(server, `${configMaps}?watch=1&labelSelector=x%3D1&allowWatchBookmarks=true`),
    await follow(server, `${deployments}?watch=1`, "application/json;as=Table;v=v1;g=meta.k8s.io"),
    await follow(server, "/api/v1/namespaces?watch=1"),
    await follow(server, `${definitions}?watch=1`),
  ];
  const answers: string[] = [];
  const uids = new Map<string, string>();
  for (const [method, path, body, type = json] of steps) {
    const value = typeof body === "function" ? body((at) => uids.get(at) ?? "") : body;
    const answer = await server.client({
      method,
      path,
      headers: { "content-type": type },
      ...(value === undefined ? {} : { body: JSON.stringify(value) }),
    });
    answers.push(`${method} ${path} ${answer.status} ${JSON.stringify(answer.headers)} ${answer.body}`);
    if (answer.status === 201) {
      const { metadata } = JSON.parse(answer.body) as { metadata: { name: string; uid: string } };
      uids.set(`${path}/${metadata.name}`, metadata.uid);
    }
    await server.settle();
    await clock.settle(1_000 as Ms);
  }
  const stored = server.store
    .scan("/")
    .records.map(({ key, revision, json: text }) => `${revision} ${key} ${text}`)
    .join("\n");
  await server.stop();
  return { answers, watches: watches.map((lines) => lines.join("")), stored };
}

/** The lines of a watch, as they come. */
async function follow(server: ApiServer, path: string, accept?: string): Promise<string[]> {
  const { status, stream } = await server.client({ method: "GET", path, headers: { accept } });
  expect(status).toBe(200);
  const lines: string[] = [];
  void (async () => {
    for await (const chunk of stream ?? []) lines.push(chunk);
  })();
  return lines;
}

const hash = (t: Transcript): string => createHash("sha256").update(JSON.stringify(t)).digest("hex");

/** Every uid and every made-up name by the order in which it first appears. */
function anonymous(text: string): string {
  const seen = new Map<string, string>();
  return text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|made-[a-z0-9]{5}/g, (id) => {
    const known = seen.get(id) ?? `id-${seen.size}`;
    seen.set(id, known);
    return known;
  });
}

test("the same seed gives the same answers, watches and store, byte for byte", async () => {
  const [one, two] = [await play(1), await play(1)];
  expect(two.answers).toEqual(one.answers);
  expect(two.watches).toEqual(one.watches);
  expect(two.stored).toBe(one.stored);
  expect(hash(two)).toBe(hash(one));
});

test("the script does what it is meant to do", async () => {
  const { answers, watches, stored } = await play(1);
  const codes = answers.map((line) => line.split(" ")[2]);
  expect(codes.filter((code) => code !== "200" && code !== "201")).toEqual(["409", "409", "404", "404"]);
  const types = (lines: string | undefined) =>
    (lines ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types(watches[0]).filter((type) => type === "DELETED").length).toBeGreaterThanOrEqual(5);
  expect(types(watches[2]).filter((type) => type === "MODIFIED").length).toBeGreaterThanOrEqual(1);
  expect(types(watches[3]).at(-1)).toBe("DELETED");
  expect(types(watches[4]).at(-1)).toBe("DELETED");
  expect(stored).not.toContain("/brief");
  expect(stored).not.toContain("same.io");
});

test("another seed gives other uids and names, and the same of everything else", async () => {
  const [one, two] = [await play(1), await play(2)];
  expect(two.answers).not.toEqual(one.answers);
  expect(anonymous(two.answers.join("\n"))).toBe(anonymous(one.answers.join("\n")));
  expect(two.watches.map(anonymous)).toEqual(one.watches.map(anonymous));
  expect(anonymous(two.stored)).toBe(anonymous(one.stored));
});
