// The numbers of the contract, which others have compiled in: what is here once never changes.
import { readFileSync } from "node:fs";
import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { service } from "../../src/contract/contract.ts";

const golden = JSON.parse(readFileSync(new URL("./contract.golden.json", import.meta.url), "utf8"));

function typeOf(field: DescField): string {
  if (field.fieldKind === "map") return "map<string,string>";
  const one = field.message?.name ?? field.enum?.name ?? ScalarType[field.scalar ?? 0]?.toLowerCase();
  return field.fieldKind === "list" ? `repeated ${one}` : `${one}`;
}

it("no method, field or number of the contract has changed", () => {
  const methods = service.methods.map(({ name, input, output }) => `${name}(${input.name}) ${output.name}`);
  const messages = service.file.messages.map(({ name, fields }) => {
    const all = fields.map((field) => `${field.number} ${field.name} ${typeOf(field)}`);
    return [name, all];
  });
  const enums = service.file.enums.map(({ name, values }) => [name, values.map((it) => `${it.number} ${it.name}`)]);
  expect(`${service.typeName} by ${service.file.edition === 999 ? "proto3" : service.file.edition}`).toBe(
    "provider.v1.Provider by proto3",
  );
  expect({ methods, messages: Object.fromEntries([...enums, ...messages]) }).toEqual(golden);
});
