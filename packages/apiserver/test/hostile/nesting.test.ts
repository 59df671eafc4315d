// Values, schemas, selectors and expressions nested as deeply as a body allows: nothing runs out of stack.
import { describe, expect, test } from "vitest";
import {
  apply,
  configMaps,
  definition,
  definitions,
  fault,
  free,
  frees,
  json,
  jsonPatch,
  merge,
  nested,
  pods,
  send,
  strategic,
  yaml,
} from "./target.ts";

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
