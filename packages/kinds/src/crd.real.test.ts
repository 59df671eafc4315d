// What only a real kube-apiserver can say about our CRDs: accepted without a word, and held to as declared.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  assetsFor,
  type ControlPlane,
  send,
  startControlPlane,
  until,
} from "../../../tools/envtest/envtest.ts";
import { Gadget } from "../test/gadget.ts";
import { type ConditionShape, conditions, neutral, positive, unknown, yes } from "./conditions.ts";
import { toCrd } from "./crd.ts";
import { applyDefaults } from "./defaults.ts";
import { defineKind, type Kind } from "./kind.ts";
import { Anything, Dictionary, Fields, Int32, List, Nullable, Optional, Text } from "./schema.ts";

const assets = assetsFor("packages/kinds");
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Nulls wherever a default may stand for one. */
const Sparse = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Sparse",
  plural: "sparse",
  spec: Fields({
    size: Optional(Int32({ default: 1 })),
    plain: Optional(Text()),
    kept: Optional(Nullable(Text())),
    list: Optional(List(Text({ default: "x" }))),
    map: Optional(Dictionary(Text({ default: "y" }))),
    bare: Optional(Dictionary(Text())),
    nested: Optional(Fields({ size: Optional(Int32({ default: 2 })), plain: Optional(Text()) })),
    any: Optional(Anything()),
    deep: Optional(List(Fields({ size: Optional(Int32({ default: 3 })) }))),
    filled: Optional(Fields({ size: Optional(Int32({ default: 4 })) }, { default: {} })),
  }),
});

function shaped(shape: ConditionShape): Kind {
  const reasons = { Fine: yes("It is fine"), NotKnown: unknown("Nobody knows", "wait") };
  return defineKind({
    group: "telltale.test",
    version: "v1",
    kind: `Shape${shape.toUpperCase()}`,
    spec: Fields({}),
    conditions: conditions(
      {
        Ready: positive({ means: "It works", reasons }),
        "example.com/Seen": neutral({ means: "It was seen", reasons }),
      },
      { shape, default: [] },
    ),
  });
}

type Body = Record<string, unknown> & {
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
};

describe.skipIf(assets === undefined)("the CRD on a real API server", () => {
  let plane: ControlPlane;
  const shapes = (["metav1", "plain", "capiV1beta1"] as const).map(shaped);
  const created: Answer[] = [];

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    for (const kind of [Gadget, Sparse, ...shapes]) {
      created.push(await post(definitions, toCrd(kind, { conversion: { url: "https://127.0.0.1:1/convert" } })));
      const served = ({ status }: Answer) => status === 200;
      await until(`${kind.kind} is served`, () => send(plane, "GET", pathOf(kind)), served);
    }
  });
  afterAll(() => plane?.stop());

  /** A server that makes the storage of a changed definition anew asks to come again. */
  const post = (path: string, body: unknown) =>
    until(
      `POST ${path} is answered`,
      () => send(plane, "POST", path, body),
      ({ status }) => status !== 429 && status !== 503,
    );
  const pathOf = (kind: Kind) => `/apis/${kind.apiVersion}/namespaces/default/${kind.plural}`;
  const gadgets = pathOf(Gadget);
  const bodyOf = (answer: Answer) => answer.body as Body;
  const merge = (path: string, body: unknown) => send(plane, "PATCH", path, body, "application/merge-patch+json");
  const kubectl = (...args: string[]) =>
    execFileSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });

  const gadget = (name: string, spec: object = {}) => ({
    apiVersion: Gadget.apiVersion,
    kind: Gadget.kind,
    metadata: { name },
    spec: { owner: "ann", ...spec },
  });

  test("is accepted without a warning", () => {
    expect(created.map(({ status, warnings }) => [status, warnings])).toEqual(created.map(() => [201, []]));
  });

  test("is established, and no schema is called non-structural", async () => {
    for (const kind of [Gadget, Sparse, ...shapes]) {
      const { body } = await send(plane, "GET", `${definitions}/${kind.plural}.${kind.group}`);
      const conditions = (body as { status: { conditions: { type: string; status: string }[] } }).status.conditions;
      expect(conditions.map(({ type, status }) => `${type}=${status}`).sort(), kind.kind).toEqual([
        "Established=True",
        "NamesAccepted=True",
      ]);
    }
  });

  test("is stored as it was sent: the server knows every field that we write", async () => {
    const { body } = await send(plane, "GET", `${definitions}/gadgets.telltale.test`);
    const sent = toCrd(Gadget, { conversion: { url: "https://127.0.0.1:1/convert" } });
    expect(body).toMatchObject({ metadata: { labels: sent.metadata?.labels }, spec: sent.spec });
  });

  test("a changed kind is accepted over the old one", async () => {
    const crd = toCrd(Gadget, { conversion: { url: "https://127.0.0.1:1/other" } });
    const patched = await merge(`${definitions}/gadgets.telltale.test`, crd);
    expect([patched.status, patched.warnings]).toEqual([200, []]);
  });

  test("rule 32: a new object says that nobody has looked at it", async () => {
    const { status, body, warnings } = await post(gadgets, gadget("fresh"));
    expect([status, warnings]).toEqual([201, []]);
    expect(body).toMatchObject({ metadata: { generation: 1 }, status: { observedGeneration: -1 } });
  });

  test("its defaults are those of applyDefaults", async () => {
    const sent = gadget("defaults", {
      limits: {},
      ports: [{ name: "dns", port: 53 }],
      mode: null,
      note: null,
      level: null,
    });
    const { status, body } = await post(gadgets, sent);
    expect([status, (body as Body)["message"]]).toEqual([201, undefined]);
    expect((body as Body).spec).toEqual(applyDefaults(Gadget.schema.spec, sent.spec));
  });

  test("its nulls are those of applyDefaults", async () => {
    const spec = {
      size: null,
      plain: null,
      kept: null,
      any: null,
      list: [null, "a"],
      map: { a: null },
      bare: { b: null, c: "d" },
      nested: { size: null, plain: null },
      deep: [{}, { size: null }],
      filled: null,
    };
    const { body } = await post(pathOf(Sparse), {
      apiVersion: Sparse.apiVersion,
      kind: "Sparse",
      metadata: { name: "a" },
      spec,
    });
    expect((body as Body).spec).toEqual(applyDefaults(Sparse.schema.spec, spec));
  });

  test("takes values of every sort", async () => {
    const spec = {
      size: 10,
      offset: Number.MAX_SAFE_INTEGER,
      address: 4_294_967_295,
      ratio: 0.5,
      step: 15,
      share: 0.5,
      title: "äöü€äöü€",
      since: "2026-01-19T22:00:00Z",
      until: "2026-01-19T22:00:00.123456Z",
      timeout: "-1.5h",
      colour: "Red",
      mode: "Safe",
      level: "High",
      memory: "1.5Gi",
      maxSurge: 3,
      tags: ["a", "b"],
      args: ["x", "x"],
      ports: [
        { name: "a", port: 53, protocol: "UDP" },
        { name: "a", port: 53, protocol: "TCP" },
      ],
      labels: { a: "b" },
      limits: { cpu: 2, memory: ".5" },
      parent: { group: "g" },
      raw: { any: { thing: [1, null] } },
      value: [1, "a", { b: null }],
      template: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { a: "b" } },
    };
    const { status, body } = await post(gadgets, gadget("every", spec));
    expect([status, (body as Body)["message"]]).toEqual([201, undefined]);
    expect((body as Body).spec).toMatchObject(spec);
  });

  test.each<[string, object, string]>([
    ["a maximum", { size: 11 }, "spec.size"],
    ["a minimum", { size: 0 }, "spec.size"],
    ["an integer type", { size: 1.5 }, "spec.size"],
    ["rule 11: the reach of exact integers", { offset: 2 ** 53 }, "spec.offset"],
    ["an unsigned range", { address: -1 }, "spec.address"],
    ["a multiple", { step: 7 }, "spec.step"],
    ["an exclusive bound", { share: 1 }, "spec.share"],
    ["a length", { title: "much too long" }, "spec.title"],
    ["a least length", { title: "x" }, "spec.title"],
    ["a time", { since: "yesterday" }, "spec.since"],
    ["a duration", { timeout: "1d" }, "spec.timeout"],
    ["an enum", { colour: "Green" }, "spec.colour"],
    ["a nullable enum", { mode: "Slow" }, "spec.mode"],
    ["a quantity", { memory: "1 GB" }, "spec.memory"],
    ["int-or-string", { maxSurge: true }, "spec.maxSurge"],
    ["a set", { tags: ["a", "a"] }, "spec.tags"],
    ["a most of items", { tags: ["a", "b", "c", "d"] }, "spec.tags"],
    ["a least of items", { args: [] }, "spec.args"],
    [
      "the keys of a list-map",
      {
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 1 },
        ],
      },
      "spec.ports",
    ],
    ["a pattern", { ports: [{ name: "Web", port: 1 }] }, "spec.ports[0].name"],
    ["a most of keys", { labels: { a: "", b: "", c: "" } }, "spec.labels"],
    ["a least of keys", { labels: {} }, "spec.labels"],
    ["a required field", { owner: undefined }, "spec.owner"],
    ["an embedded resource", { template: { apiVersion: "v1" } }, "spec.template.kind"],
    [
      "a CEL rule, at the field it names",
      { colour: "Red", size: 1 },
      "spec.size: Forbidden: a red one has at least size 2, says ann",
    ],
  ])("holds to %s", async (_, spec, message) => {
    const { status, body } = await post(gadgets, gadget("refused", spec));
    expect((body as Body)["message"]).toContain(message);
    expect(status).toBe(422);
  });

  test("a name that a rule on the whole object refuses is refused", async () => {
    const { status, body } = await post(gadgets, gadget("a-name-of-more-than-twenty"));
    expect([status, (body as Body)["message"]]).toEqual([422, expect.stringContaining("the name is too long")]);
  });

  test("an immutable field and a transition rule hold on updates", async () => {
    await post(gadgets, gadget("steady", { size: 5 }));
    const owner = await merge(`${gadgets}/steady`, { spec: { owner: "bob" } });
    expect([owner.status, bodyOf(owner)["message"]]).toEqual([
      422,
      expect.stringContaining("the owner cannot be changed"),
    ]);
    const shrunk = await merge(`${gadgets}/steady`, { spec: { size: 4 } });
    expect([shrunk.status, bodyOf(shrunk)["message"]]).toEqual([422, expect.stringContaining("it cannot shrink")]);
    expect((await merge(`${gadgets}/steady`, { spec: { size: 6 } })).status).toBe(200);
  });

  test("rule 62: spec and status are written through different resources", async () => {
    await post(gadgets, gadget("split"));
    const main = await merge(`${gadgets}/split`, { status: { phase: "Running" } });
    expect(bodyOf(main).status).toEqual({ observedGeneration: -1 });
    const sub = await merge(`${gadgets}/split/status`, { spec: { size: 9 }, status: { phase: "Running" } });
    expect(sub.body).toMatchObject({ spec: { size: 1 }, status: { phase: "Running" }, metadata: { generation: 1 } });
  });

  const condition = (more: object = {}) => ({
    type: "Ready",
    status: "True",
    reason: "Fine",
    message: "",
    lastTransitionTime: "2026-01-19T22:00:00Z",
    ...more,
  });

  test.each<[string, object[], string]>([
    ["rule 1: a type", [condition({ type: "not a type" })], "conditions[0].type"],
    ["rule 4: a status", [condition({ status: "Maybe" })], "conditions[0].status"],
    ["rule 5: a reason", [condition({ reason: "not a reason" })], "conditions[0].reason"],
    ["rule 5: a reason that is there", [condition({ reason: "" })], "conditions[0].reason"],
    ["rule 7: a message", [condition({ message: "x".repeat(32_769) })], "conditions[0].message"],
    ["rule 9: one entry for each type", [condition(), condition()], "Duplicate value"],
    [
      "rule 10: a most of conditions",
      Array.from({ length: 33 }, (_, i) => condition({ type: `C${i}` })),
      "at most 32 items",
    ],
  ])("a status is held to %s", async (_, conditions, message) => {
    await post(gadgets, gadget("held"));
    const { status, body } = await merge(`${gadgets}/held/status`, { status: { conditions } });
    expect((body as Body)["message"]).toContain(message);
    expect(status).toBe(422);
  });

  test("each shape of a condition is kept with its own fields", async () => {
    const full = condition({ observedGeneration: 1, severity: "Warning" });
    for (const kind of shapes) {
      await post(pathOf(kind), { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: "a" }, spec: {} });
      const answer = await merge(`${pathOf(kind)}/a/status`, { status: { conditions: [full] } });
      const { conditions } = bodyOf(answer).status as { conditions: [object] };
      const extra = Object.keys(conditions[0]).filter((key) => !Object.hasOwn(condition(), key));
      expect(extra, kind.kind).toEqual(
        { metav1: ["observedGeneration"], plain: [], capiV1beta1: ["severity"] }[kind.conditions.shape],
      );
    }
  });

  test("scale works through its paths", async () => {
    await post(gadgets, gadget("scaled", { size: 2 }));
    await merge(`${gadgets}/scaled/status`, { status: { replicas: 1, selector: "app=a" } });
    const scaled = await merge(`${gadgets}/scaled/scale`, { spec: { replicas: 3 } });
    expect(scaled.body).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 1, selector: "app=a" } });
  });

  test("fields can be selected by", async () => {
    await post(gadgets, gadget("blue", { colour: "Blue", owner: "eve" }));
    const { body } = await send(
      plane,
      "GET",
      `${gadgets}?fieldSelector=${encodeURIComponent("spec.colour=Blue,spec.owner=eve")}`,
    );
    expect((body as { items: { metadata: { name: string } }[] }).items.map((item) => item.metadata.name)).toEqual([
      "blue",
    ]);
  });

  test("kubectl shows the columns, by short name and category", async () => {
    const named = gadget("shown", {
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    });
    await post(gadgets, { ...named, metadata: { name: "shown", labels: { "example.com/name": "lamp" } } });
    const conditions = [condition({ reason: "Working" })];
    await merge(`${gadgets}/shown/status`, { status: { phase: "Running", zones: ["north"], conditions } });
    const [head, row] = kubectl("get", "gd", "shown", "--output=wide").trim().split("\n");
    expect(head?.split(/\s{2,}/)).toEqual(["NAME", "PHASE", "READY", "WHY", "PORTS", "SIZE", "LABEL", "ZONE", "AGE"]);
    expect(row?.split(/\s{2,}/).slice(0, 8)).toEqual([
      "shown",
      "Running",
      "True",
      "Working",
      "80", // of several matches the server shows the first
      "1",
      "lamp",
      "north",
    ]);
    expect(kubectl("get", "telltale", "--output=name")).toContain("gadget.telltale.test/shown");
  });

  test("kubectl explain tells what we declared", () => {
    expect(kubectl("explain", "gadget", "--api-version=telltale.test/v2")).toContain(
      "A thing that has one of everything.",
    );
    expect(kubectl("explain", "gadget.spec.size", "--api-version=telltale.test/v2")).toContain("How large it is");
    expect(kubectl("explain", "gadget.status.phase", "--api-version=telltale.test/v2")).toContain(
      "Failed: It failed for good",
    );
    expect(kubectl("explain", "gadget.status.conditions", "--api-version=telltale.test/v2")).toContain(
      "Ready: The gadget works",
    );
  });

  test("deleting it takes its objects along", async () => {
    expect((await send(plane, "DELETE", `${definitions}/gadgets.telltale.test`)).status).toBe(200);
    const gone = ({ status }: Answer) => status === 404;
    await until("the CRD is gone", () => send(plane, "GET", `${definitions}/gadgets.telltale.test`), gone);
    await until("its objects are gone", () => send(plane, "GET", gadgets), gone);
  });
});
