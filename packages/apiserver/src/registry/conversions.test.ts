import { expect, test } from "vitest";
import { converting } from "./conversions.ts";
import type { Resource } from "./resource.ts";

const asked: string[] = [];
const byWebhook = {
  fetchAs: (object, apiVersion) => {
    asked.push(apiVersion);
    return Promise.resolve({ ...object, apiVersion });
  },
} satisfies Partial<Resource> as unknown as Resource;

test("V34 each conversion is fetched once, however often it is asked for", async () => {
  const made = await converting(byWebhook, (convert) => {
    const there = convert?.({ apiVersion: "g/v1", a: 1 }, "g/v2");
    return [there, convert?.({ apiVersion: "g/v1", a: 1 }, "g/v2"), there && convert?.(there, "g/v1")];
  });
  expect(made).toEqual([
    { apiVersion: "g/v2", a: 1 },
    { apiVersion: "g/v2", a: 1 },
    { apiVersion: "g/v1", a: 1 },
  ]);
  expect(asked).toEqual(["g/v2", "g/v1"]);
});

test("what the code itself throws is not kept back", async () => {
  const failing = converting(byWebhook, () => {
    throw new Error("mine");
  });
  await expect(failing).rejects.toThrow("mine");
});
