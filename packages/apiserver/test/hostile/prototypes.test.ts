// The names that JavaScript gives a meaning to are names like any other.
import { describe, expect, test } from "vitest";
import {
  apply,
  configMaps,
  custom,
  definition,
  definitions,
  fault,
  free,
  frees,
  json,
  jsonPatch,
  merge,
  pods,
  send,
} from "./target.ts";

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
