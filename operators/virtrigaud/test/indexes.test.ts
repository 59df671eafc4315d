// The name of an index belongs to the store of a kind, which all controllers share.
import { expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { virtrigaudOperator } from "../src/operator.ts";

test("controllers that declare an index of one name on one kind bring one function", () => {
  const functions = new Map<string, Set<unknown>>();
  for (const { indexes } of virtrigaudOperator({ config: standardConfig })) {
    for (const { kind, name, values } of indexes) {
      const key = `${kind.kind} ${name}`;
      functions.set(key, (functions.get(key) ?? new Set()).add(values));
    }
  }
  expect(functions.size).toBeGreaterThan(15);
  expect([...functions].filter(([, { size }]) => size > 1).map(([key]) => key)).toEqual([]);
});
