// Whatever a client sends to a whole server, it gets a Status that says what is wrong, soon, and everybody else goes on.
// The time limit of each test is the bound: nothing here may cost more than its length.
import { request } from "node:http";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, type LocalResponse, startApiServer } from "../src/index.ts";

const json = "application/json";
const yaml = "application/yaml";
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";
const apply = "application/apply-patch+yaml";

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const frees = custom("free");

let server: ApiServer;
const defects: string[] = [];

beforeAll(async () => {
  server = await startApiServer({
    listen: { tls: false },
    anonymous: true,
    authorization: "always-allow",
    maxRequestBodyBytes: 1_000_000,
    log: (line) => defects.push(line),
  });
  await created(configMaps, { metadata: { name: "seed" }, data: { a: "b" } });
  await created(pods, { metadata: { name: "seed" }, spec: { containers: [{ name: "a", image: "b" }] } });
  await created(definitions, definition("free", { type: "object", "x-kubernetes-preserve-unknown-fields": true }));
  await created(frees, { apiVersion: "h.io/v1", kind: "Free", metadata: { name: "seed" } });
});

afterEach(async () => {
  expect(defects.splice(0)).toEqual([]); // the server logs what it did not expect
  expect((await send("GET", "/readyz")).status).toBe(200);
  expect((await send("GET", `${configMaps}/seed`)).status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

afterAll(() => server.stop());

function custom(kind: string): string {
  return `/apis/h.io/v1/namespaces/default/${kind}s`;
}

function definition(kind: string, schema: object, more: object = {}): object {
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  const names = { plural: `${kind}s`, singular: kind, kind: kind.charAt(0).toUpperCase() + kind.slice(1) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind}s.h.io` },
    spec: { group: "h.io", scope: "Namespaced", names, versions: [version] },
  };
}

function send(
  method: string,
  path: string,
  type?: string,
  body: string | Uint8Array = "",
  accept?: string,
): Promise<LocalResponse> {
  const headers = {
    ...(type === undefined ? {} : { "content-type": type }),
    ...(accept === undefined ? {} : { accept }),
  };
  return server.client({ method, path, headers, body });
}

async function created(path: string, object: object): Promise<void> {
  const { status, body } = await send("POST", path, json, JSON.stringify(object));
  expect(body).toContain("metadata");
  expect(status).toBe(201);
}

interface Status {
  readonly kind: string;
  readonly status: string;
  readonly code: number;
  readonly message: string;
}

const isJavaScript = /\b(?:TypeError|RangeError|ReferenceError|SyntaxError|undefined)\b|is not a function|\bat .*\.ts:/;

/** The code of a refusal, once it is known to be a proper one. */
function refusal({ status, body }: { status: number; body: string }): number {
  const value = JSON.parse(body) as Status;
  expect(value).toMatchObject({ kind: "Status", status: "Failure", code: status });
  expect(value.message).not.toBe("");
  expect(value.message).not.toMatch(isJavaScript);
  return status;
}

/** Refused for what the client did: the server is not at fault. */
function fault(answer: { status: number; body: string }): number {
  const code = refusal(answer);
  expect(code, answer.body.slice(0, 300)).toBeGreaterThanOrEqual(400);
  expect(code, answer.body.slice(0, 300)).toBeLessThan(500);
  return code;
}

const nested = (open: string, close: string, levels: number, inside = "1"): string =>
  open.repeat(levels) + inside + close.repeat(levels);
const free = (name: string, rest: string): string =>
  `{"apiVersion":"h.io/v1","kind":"Free","metadata":{"name":"${name}"}${rest}}`;

describe("bodies that are none", () => {
  const bodies: Readonly<Record<string, string | Uint8Array>> = {
    empty: "",
    truncated: '{"metadata":',
    "a zero byte": "\0",
    "two documents": "{}{}",
    "a comment": "{/*a*/}",
    "not a number": '{"metadata":{"name":NaN}}',
    "a list": "[]",
    "a text": '"x"',
    "bad UTF-8 as a name": Buffer.concat([
      Buffer.from('{"metadata":{"name":"'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}}'),
    ]),
    "bytes that are no text": Uint8Array.from({ length: 1000 }, (_, i) => (i * 37) & 0xff),
  };

  test.each(Object.entries(bodies))("%s is refused by every verb that reads a body", async (_, body) => {
    for (const type of [json, yaml, "application/vnd.kubernetes.protobuf"]) {
      fault(await send("POST", configMaps, type, body));
      fault(await send("POST", frees, type, body));
      fault(await send("PUT", `${configMaps}/seed`, type, body));
      fault(await send("POST", definitions, type, body));
    }
    fault(await send("DELETE", `${configMaps}/none`, json, body));
    for (const type of [merge, strategic, jsonPatch, apply]) {
      const answer = await send("PATCH", `${configMaps}/seed?fieldManager=x`, type, body);
      // An empty list of operations changes nothing, and that is fine.
      if (!(type === jsonPatch && body === "[]")) fault(answer);
    }
  });

  test("random bytes for every verb, media type and place", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }).map((tail) => Buffer.concat([Buffer.from("k8s\0"), tail])),
      fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
    );
    const verbs = fc.constantFrom("POST", "PUT", "PATCH", "DELETE");
    const types = fc.constantFrom(
      json,
      yaml,
      merge,
      strategic,
      jsonPatch,
      apply,
      "application/vnd.kubernetes.protobuf",
      "x/y",
      "",
    );
    const places = fc.constantFrom(
      configMaps,
      `${configMaps}/none`,
      `${pods}/seed/status`,
      `${frees}/none`,
      definitions,
      "/api",
      "/x",
    );
    await fc.assert(
      fc.asyncProperty(bytes, verbs, types, places, async (body, method, type, path) => {
        fc.pre(!(method === "DELETE" && (path === configMaps || path === definitions))); // what others use is to stay
        const answer = await send(method, `${path}?fieldManager=x&dryRun=All`, type, body);
        if (answer.status >= 400 && answer.headers["content-type"] === json) refusal(answer);
      }),
      { numRuns: 400 },
    );
  }, 20_000);

  test("a media type that nobody reads is 415, one that nobody writes 406", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "multipart/form-data; boundary=x",
      "application/cbor",
      "constructor",
      "__proto__",
      "\0",
    ]) {
      expect(fault(await send("POST", configMaps, type, '{"metadata":{"name":"never"}}')), type).toBe(415);
      expect(fault(await send("PATCH", `${frees}/seed`, type, "{}")), type).toBe(415);
    }
    for (const accept of [
      "text/html",
      "__proto__",
      "application/json;as=constructor;v=v1;g=__proto__",
      "application/json;as=Table;v=v9;g=meta.k8s.io",
    ]) {
      expect(fault(await send("GET", configMaps, undefined, "", accept)), accept).toBe(406);
    }
  });
});

describe("nesting", () => {
  test.each([900, 5_000, 9_999, 60_000])(
    "%i levels are taken or refused, and nothing runs out of stack",
    async (levels) => {
      for (const value of [nested("[", "]", levels), nested('{"a":', "}", levels)]) {
        const answers = [
          await send("POST", configMaps, json, `{"metadata":{"name":"deep"},"data":${value}}`),
          await send("POST", `${pods}?fieldValidation=Strict`, json, `{"metadata":{"name":"deep"},"spec":${value}}`),
          await send("POST", `${frees}?dryRun=All`, json, free("deep", `,"spec":${value}`)),
          await send("POST", `${frees}?dryRun=All`, yaml, free("deep", `,"spec":${value}`)),
          await send("PATCH", `${frees}/seed?dryRun=All`, merge, `{"spec":${value}}`),
          await send("PATCH", `${configMaps}/seed`, merge, `{"data":${value}}`),
          await send("PATCH", `${configMaps}/seed`, strategic, `{"data":${value}}`),
          await send("PATCH", `${frees}/seed?dryRun=All`, jsonPatch, `[{"op":"add","path":"/spec","value":${value}}]`),
          await send("PATCH", `${frees}/seed?dryRun=All`, jsonPatch, `[{"op":"test","path":"/spec","value":${value}}]`),
          await send("PATCH", `${frees}/new?fieldManager=x&dryRun=All`, apply, free("new", `,"spec":${value}`)),
          await send("DELETE", `${configMaps}/none`, json, `{"preconditions":${value}}`),
          await send(
            "PATCH",
            `${frees}/seed?dryRun=All`,
            merge,
            `{"metadata":{"managedFields":[{"manager":"a","operation":"Update","apiVersion":"h.io/v1","fieldsType":"FieldsV1","fieldsV1":${value}}]}}`,
          ),
          await send(
            "POST",
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            json,
            `{"spec":{"resourceAttributes":${value}}}`,
          ),
          await send("GET", `${configMaps}?limit=1&continue=${Buffer.from(value).toString("base64url")}`),
        ];
        for (const answer of answers) if (answer.status >= 400) fault(answer);
        if (levels > 1000) expect(answers.map((a) => a.status).filter((s) => s < 300)).toEqual([]);
      }
    },
    20_000,
  );

  test("patches that put deep values into each other are refused", async () => {
    const step = JSON.parse(nested('{"a":', "}", 299, "{}")) as object;
    const operations = Array.from({ length: 30 }, (_, i) => ({
      op: "add",
      path: `/d${"/a".repeat(i * 300 + 1)}`,
      value: step,
    }));
    const body = JSON.stringify([{ op: "add", path: "/d", value: {} }, ...operations]);
    expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, body))).toBe(400);
  });

  test.each([500, 5_000, 9_999])(
    "a definition whose schema is %i levels deep",
    async (levels) => {
      const schemas = [
        nested('{"type":"object","properties":{"a":', "}}", levels / 2, '{"type":"string"}'),
        `{"type":"object","properties":{"a":${nested('{"type":"array","items":', "}", levels, '{"type":"string"}')}}}`,
        `{"type":"object","properties":{"a":{"type":"string","not":${nested('{"not":', "}", levels, "{}")}}}}`,
        `{"type":"object","properties":{"a":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":${nested('{"a":', "}", levels, "{}")}}}}`,
      ];
      for (const schema of schemas) {
        const whole = JSON.stringify(definition("deep", {})).replace(
          '"openAPIV3Schema":{}',
          `"openAPIV3Schema":${schema}`,
        );
        const answer = await send("POST", `${definitions}?dryRun=All`, json, whole);
        if (answer.status >= 400) fault(answer);
      }
    },
    20_000,
  );

  test.each([1_000, 30_000])(
    "selectors, JSONPath and CEL of %i steps",
    async (steps) => {
      const ask = (name: string, value: string) => send("GET", `${configMaps}?${name}=${encodeURIComponent(value)}`);
      fault(await ask("labelSelector", "(".repeat(steps)));
      fault(await ask("labelSelector", "!".repeat(steps)));
      fault(await ask("labelSelector", `a in (${"b,".repeat(steps)}`));
      fault(await ask("fieldSelector", "\\".repeat(steps)));
      expect((await ask("labelSelector", `a in (${"b,".repeat(steps)}b)`)).status).toBe(200);
      const columns = [".a[".repeat(steps), ".a[?(".repeat(steps), "..".repeat(steps), `{${"{".repeat(steps)}`];
      for (const jsonPath of columns) {
        const answer = await send(
          "POST",
          `${definitions}?dryRun=All`,
          json,
          JSON.stringify(
            definition(
              "column",
              { type: "object" },
              { additionalPrinterColumns: [{ name: "a", type: "string", jsonPath }] },
            ),
          ),
        );
        if (answer.status >= 400) fault(answer);
      }
      const rules = [
        nested("(", ")", steps, "true"),
        `${"!".repeat(steps)}true`,
        `${"1+".repeat(steps)}1 == 2`,
        `${nested("[", "]", steps)}==[]`,
        "self.".repeat(steps),
      ];
      for (const rule of rules) {
        const answer = await send(
          "POST",
          `${definitions}?dryRun=All`,
          json,
          JSON.stringify(definition("rule", { type: "object", "x-kubernetes-validations": [{ rule }] })),
        );
        if (answer.status >= 400) fault(answer);
      }
    },
    20_000,
  );
});

describe("much from little", () => {
  const lines = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...[..."bcdefghij"].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(",")}]`),
  ];
  const head = "apiVersion: h.io/v1\nkind: Free\nmetadata: {name: bomb}\n";

  test("YAML aliases that multiply are refused", async () => {
    const bomb = head + lines.join("\n");
    expect(fault(await send("POST", frees, yaml, bomb))).toBe(400);
    expect(fault(await send("PATCH", `${frees}/bomb?fieldManager=x`, apply, bomb))).toBe(400);
    expect(fault(await send("POST", frees, yaml, "a: &a [*a]"))).toBe(400);
    expect(fault(await send("POST", frees, yaml, "a: &a {<<: *a}"))).toBe(400);
  });

  test("YAML that is much work to read", async () => {
    const much = [
      "---\n".repeat(100_000),
      "#\n".repeat(100_000),
      "? ".repeat(30_000),
      "!a ".repeat(30_000),
      `{${"a: ".repeat(20_000)}`,
      `a: ${"1_".repeat(50_000)}`,
      `a: 1${":59".repeat(50_000)}`,
      `a: "${"\n".repeat(100_000)}"`,
    ];
    for (const body of much) expect(fault(await send("POST", frees, yaml, body))).toBe(400);
  }, 20_000);

  test("copies in a JSON patch that double are refused", async () => {
    const operations = [
      { op: "add", path: "/spec", value: { a: "x".repeat(1000) } },
      ...Array.from({ length: 60 }, (_, i) => ({ op: "copy", from: "/spec", path: `/spec/k${i}` })),
    ];
    expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, JSON.stringify(operations)))).toBe(422);
    const many = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "Free" }));
    expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, JSON.stringify(many)))).toBe(413);
  });

  test("long lists of owners, finalizers and labels cost their length", async () => {
    const count = 8_000;
    const list = <T>(of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
    const ownerReferences = list((i) => ({ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: `u${i}` }));
    const finalizers = list((i) => `f${i}.h.io/x`);
    const labels = Object.fromEntries(list((i) => [`l${i}!`, "x y"]));
    const whole = (metadata: object) => JSON.stringify({ metadata: { name: "long", ...metadata } });
    expect((await send("POST", `${configMaps}?dryRun=All`, json, whole({ ownerReferences, finalizers }))).status).toBe(
      201,
    );
    expect(fault(await send("POST", configMaps, json, whole({ labels })))).toBe(422);
    await created(configMaps, { metadata: { name: "lists" } });
    const metadata = { ownerReferences, finalizers };
    for (const type of [merge, strategic, strategic]) {
      expect((await send("PATCH", `${configMaps}/lists`, type, JSON.stringify({ metadata }))).status).toBe(200);
    }
    const order = {
      metadata: { "$setElementOrder/finalizers": [...finalizers].reverse(), finalizers: finalizers.slice(1) },
    };
    expect((await send("PATCH", `${configMaps}/lists`, strategic, JSON.stringify(order))).status).toBe(200);
  }, 20_000);

  test("patterns that make other engines backtrack are matched in time, and those that explode are refused", async () => {
    const value = `${"a".repeat(20_000)}!`;
    const patterns = [
      "(a+)+$",
      "(a|aa)+$",
      "^(([a-z])+.)+[A-Z]([a-z])+$",
      "(.*)*x",
      "(x+x+)+y",
      "(a{1,1000}){1,1000}",
      "(?=a)",
      "(a)\\1",
      "[",
      nested("(", ")", 5_000, ""),
    ];
    for (const [i, pattern] of patterns.entries()) {
      const kind = `re${"abcdefghij"[i]}`;
      const schema = { type: "object", properties: { s: { type: "string", pattern } } };
      const { status } = await send("POST", definitions, json, JSON.stringify(definition(kind, schema)));
      expect(status).toBe(i < 5 ? 201 : 422);
      if (status !== 201) continue;
      const object = { apiVersion: "h.io/v1", kind: `Re${kind[2]}`, metadata: { name: "a" }, s: value };
      expect(fault(await send("POST", custom(kind), json, JSON.stringify(object)))).toBe(422);
    }
    const rule = `!has(self.s) || self.s.matches("(a+)+$")`;
    const schema = {
      type: "object",
      properties: { s: { type: "string", maxLength: 100_000 } },
      "x-kubernetes-validations": [{ rule }],
    };
    await created(definitions, definition("rex", schema));
    const object = { apiVersion: "h.io/v1", kind: "Rex", metadata: { name: "a" }, s: value };
    expect(fault(await send("POST", custom("rex"), json, JSON.stringify(object)))).toBe(422);
  }, 20_000);

  test.each([
    "date-time",
    "duration",
    "email",
    "uri",
    "hostname",
    "ipv6",
    "cidr",
    "uuid",
    "creditcard",
    "byte",
    "isbn",
    "k8s-short-name",
  ])(
    "the format %s looks at a long text once",
    async (format) => {
      const kind = `format${format.replace(/\W/g, "")}`;
      await created(definitions, definition(kind, { type: "object", properties: { s: { type: "string", format } } }));
      for (const piece of ["a", "1", "a.", "a@", ":", "1h", "%", "-", " ", "1 "]) {
        const object = {
          apiVersion: "h.io/v1",
          kind: kind.charAt(0).toUpperCase() + kind.slice(1),
          metadata: { name: "a" },
          s: `${piece.repeat(30_000)}!`,
        };
        const answer = await send("POST", `${custom(kind)}?dryRun=All`, json, JSON.stringify(object));
        if (answer.status !== 201) expect(fault(answer)).toBe(422);
      }
    },
    10_000,
  );

  test("random JSON patches are applied or refused", async () => {
    const pointer = fc.oneof(
      fc.constantFrom(
        "",
        "/",
        "/spec",
        "/spec/a",
        "/spec/list",
        "/spec/list/0",
        "/spec/list/-",
        "/spec/list/-1",
        "/spec/list/99999999999",
        "/metadata",
        "/metadata/name",
        "/__proto__",
        "/__proto__/x",
        "/constructor/prototype/x",
        "/spec/~0~1~2",
        "no-slash",
        "/spec//",
        "/kind",
      ),
      fc.string(),
    );
    const operation = fc.record(
      {
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "__proto__", ""),
        path: pointer,
        from: pointer,
        value: fc.jsonValue({ maxDepth: 3 }),
      },
      { requiredKeys: ["op"] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), async (operations) => {
        const answer = await send(
          "PATCH",
          `${frees}/seed?dryRun=All`,
          jsonPatch,
          JSON.stringify([{ op: "add", path: "/spec", value: { list: [1, 2] } }, ...operations]),
        );
        if (answer.status !== 200) fault(answer);
      }),
      { numRuns: 300 },
    );
  }, 20_000);
});

describe("names of prototypes are names", () => {
  const members =
    '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":"t","hasOwnProperty":"h"';
  const texts = '"__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h","valueOf":"v"';
  const at = (body: string): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

  test("in bodies, patches and applies", async () => {
    const whole = await send("POST", frees, json, free("proto", `,${members},"spec":{${members}}`));
    expect(whole.status).toBe(201);
    expect(JSON.stringify(at(whole.body)["spec"])).toBe(`{${members}}`);
    const data = await send("POST", configMaps, json, `{"metadata":{"name":"proto"},"data":{${texts}}}`);
    expect(Object.keys(at(data.body)["data"] as object).sort()).toEqual([
      "__proto__",
      "constructor",
      "hasOwnProperty",
      "toString",
      "valueOf",
    ]);
    const merged = await send(
      "PATCH",
      `${frees}/proto`,
      merge,
      `{"spec":{"__proto__":{"polluted":"no"},"constructor":null}}`,
    );
    expect(JSON.stringify(at(merged.body)["spec"])).toBe(
      '{"__proto__":{"polluted":"no"},"toString":"t","hasOwnProperty":"h"}',
    );
    const added = await send("PATCH", `${frees}/seed?dryRun=All`, merge, '{"spec":{"__proto__":{"x":1}}}');
    expect(JSON.stringify(at(added.body)["spec"])).toBe('{"__proto__":{"x":1}}');
    const applied = await send(
      "PATCH",
      `${frees}/applied?fieldManager=x`,
      apply,
      free("applied", `,"spec":{${members}}`),
    );
    expect(applied.status).toBe(201);
    expect(JSON.stringify(at(applied.body)["spec"])).toBe(`{${members}}`);
    const again = await send(
      "PATCH",
      `${frees}/applied?fieldManager=x`,
      apply,
      free("applied", ',"spec":{"toString":"t"}'),
    );
    expect(JSON.stringify(at(again.body)["spec"])).toBe('{"toString":"t"}');
  });

  test("in the paths of JSON patches: what is not there is not found", async () => {
    const tries = [
      { op: "add", path: "/__proto__/polluted", value: "yes" },
      { op: "add", path: "/constructor/prototype/polluted", value: "yes" },
      { op: "test", path: "/constructor/name", value: "Object" },
      { op: "remove", path: "/toString" },
      { op: "move", from: "/__proto__", path: "/spec" },
    ];
    for (const operation of tries)
      expect(fault(await send("PATCH", `${frees}/seed`, jsonPatch, JSON.stringify([operation])))).toBe(422);
  });

  test("in labels and selectors", async () => {
    expect(fault(await send("POST", configMaps, json, `{"metadata":{"name":"l","labels":{${texts}}}}`))).toBe(422);
    const found = async (selector: string) =>
      (
        JSON.parse((await send("GET", `${configMaps}?labelSelector=${encodeURIComponent(selector)}`)).body) as {
          items: unknown[];
        }
      ).items.length;
    expect(await found("constructor")).toBe(0);
    expect(await found("toString=x")).toBe(0);
    expect(await found("!constructor")).toBeGreaterThan(0);
    expect(fault(await send("GET", `${configMaps}?fieldSelector=constructor%3Da`))).toBe(400);
    expect(fault(await send("GET", `${configMaps}?labelSelector=__proto__`))).toBe(400);
  });

  test("as properties of a definition: defaulted, pruned and validated like any other", async () => {
    const schema =
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{},"properties":{"a":{"type":"integer","default":1}}},"constructor":{"type":"string"},"spec":{"type":"object","additionalProperties":{"type":"string"}}}}';
    const whole = JSON.stringify(definition("proto", {})).replace(
      '"openAPIV3Schema":{}',
      `"openAPIV3Schema":${schema}`,
    );
    expect((await send("POST", definitions, json, whole)).status).toBe(201);
    const proto = (rest: string) => `{"apiVersion":"h.io/v1","kind":"Proto","metadata":{"generateName":"p-"}${rest}}`;
    const post = (rest: string, query = "") => send("POST", `${custom("proto")}${query}`, json, proto(rest));
    expect((await post("")).body).toContain('"__proto__":{"a":1}');
    expect((await post(',"__proto__":{"a":5,"z":1},"toString":"t"')).body).toContain('"__proto__":{"a":5}');
    expect(fault(await post(',"__proto__":{"a":"no"},"constructor":{}'))).toBe(422);
    expect((await post(',"__proto__":{"zz":5},"toString":1', "?fieldValidation=Strict")).body).toContain(
      'unknown field \\"__proto__.zz\\", unknown field \\"toString\\"',
    );
    const table = await send("GET", custom("proto"), undefined, "", "application/json;as=Table;v=v1;g=meta.k8s.io");
    expect(table.status).toBe(200);
    expect((await send("GET", "/openapi/v3/apis/h.io/v1")).body).toContain('"__proto__":{');
  });

  test("as query parameters, methods and paths", async () => {
    expect((await send("GET", `${configMaps}?__proto__=1&constructor=2`)).status).toBe(200);
    for (const query of [
      "resourceVersionMatch=constructor",
      "limit=constructor",
      "continue=__proto__",
      "timeoutSeconds=valueOf",
    ])
      fault(await send("GET", `${configMaps}?${query}`));
    for (const query of ["propagationPolicy=constructor", "gracePeriodSeconds=toString"])
      fault(await send("DELETE", `${configMaps}/seed?${query}`));
    for (const query of ["dryRun=constructor", "fieldValidation=__proto__"])
      fault(await send("POST", `${configMaps}?${query}`, json, '{"metadata":{"name":"never"}}'));
    for (const method of ["constructor", "__proto__", "TRACE", "get", ""])
      expect(fault(await send(method, configMaps)), method).toBe(405);
    for (const path of [
      "/apis/__proto__/v1/x",
      "/apis/constructor/constructor/constructor",
      "/api/v1/constructor",
      "/apis/constructor",
      "/openapi/v3/__proto__",
      `${pods}/seed/constructor`,
      "/api/v1/namespaces/__proto__/configmaps/constructor",
      "/__proto__",
    ]) {
      expect((await send("GET", path)).status, path).toBe(404);
    }
  });
});

describe("paths", () => {
  test("dots, doubled and encoded slashes and rubbish lead nowhere else", async () => {
    const nowhere = [
      `${configMaps}/%2e%2e`,
      `${configMaps}/..`,
      `${configMaps}/seed%2fstatus`,
      "/api/v1/namespaces/default%2fconfigmaps/seed",
      "/api/v1;x=y/configmaps",
      "/api/v1/configmaps;x",
      `${configMaps}/%00`,
      `${configMaps}/%`,
      `${configMaps}/%ff`,
      "/api%2fv1/configmaps",
      "/api/v1/../v1/configmaps",
      "/x",
      `${configMaps}/${"x".repeat(100_000)}`,
      `/${"%41".repeat(30_000)}`,
      `/api/v1/${"a/".repeat(30_000)}`,
    ];
    for (const path of nowhere) {
      for (const method of ["GET", "DELETE"]) {
        const { status } = await send(method, path);
        expect([400, 404, 405], `${method} ${path.slice(0, 60)}`).toContain(status);
      }
      const { status } = await send("PUT", path, json, '{"metadata":{"name":"seed"}}');
      expect([400, 404, 405], `PUT ${path.slice(0, 60)}`).toContain(status);
    }
    const other = await send("GET", "/api/v1/namespaces/default%2F..%2Fdefault/configmaps");
    expect((JSON.parse(other.body) as { items?: unknown[] }).items ?? []).toEqual([]);
    expect(
      fault(await send("POST", "/api/v1/namespaces/%2e%2e/configmaps", json, '{"metadata":{"name":"never"}}')),
    ).toBe(404);
  });
});

describe("over the socket", () => {
  /** What comes back for raw bytes until the server closes, or until it has answered. */
  const raw = (bytes: string | Uint8Array): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(server.port ?? 0, "127.0.0.1");
      let heard = "";
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => {
        heard += chunk;
        if (heard.includes("\r\n\r\n")) socket.end();
      });
      socket.on("error", () => {}); // a reset is an answer too
      socket.on("close", () => resolve(heard));
      socket.end(bytes);
    });

  const post = (
    path: string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const out = request(
        {
          port: server.port,
          host: "127.0.0.1",
          path,
          method: "POST",
          headers: { "content-type": json, ...headers },
          agent: false,
        },
        (answer) => {
          readText(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
        },
      );
      out.on("error", () => {}); // the server need not read to the end
      out.end(body);
    });

  test("a body that is too long is 413, with and without its length told", async () => {
    const long = Buffer.alloc(1_500_000, 0x20);
    const told = await post(configMaps, long);
    expect(fault(told)).toBe(413);
    expect(fault(await post(configMaps, long, { "transfer-encoding": "chunked" }))).toBe(413);
  });

  test("random bytes instead of HTTP", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        const heard = await raw(bytes);
        if (heard !== "") expect(heard).toMatch(/^HTTP\/1\.1 [45]\d\d /);
      }),
      { numRuns: 60 },
    );
  }, 20_000);

  test("requests that are cut, smuggled or without a path", async () => {
    const end = "\r\nhost: x\r\nconnection: close\r\n\r\n";
    expect(await raw(`GET http://other/api/v1/configmaps HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET ${"/x".repeat(100_000)} HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(await raw(`GET /version HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 4\d\d /,
    );
    expect(
      await raw(
        `POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 400 /);
    await raw(`POST ${configMaps} HTTP/1.1\r\nhost: x\r\ncontent-type: ${json}\r\ncontent-length: 5000\r\n\r\n{`);
    expect(await raw(`GET /version HTTP/1.1${end}`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
