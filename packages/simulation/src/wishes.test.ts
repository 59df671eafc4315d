import type { Transport } from "@telltale/client";
import { expect, test } from "vitest";
import { Wishes } from "./wishes.ts";

const nowhere: Transport = {
  send: async () => ({ status: 200, headers: {}, text: async () => "{}", async *chunks() {} }),
  close: async () => {},
};

test("what people deleted is unwanted, until they ask for it again; to look at it is not to ask", async () => {
  const wishes = new Wishes();
  const way = wishes.over(nowhere);
  const path = "/apis/example.com/v1/namespaces/default/shops/corner";
  const headers = {};
  const isUnwanted = () => wishes.isUnwanted("/example.com/shops/default/corner");
  expect(isUnwanted()).toBe(false);
  await way.send({ method: "DELETE", path, headers });
  expect(isUnwanted()).toBe(true);
  await way.send({ method: "GET", path, headers });
  expect(isUnwanted()).toBe(true);
  await way.send({ method: "PATCH", path: `${path}?fieldManager=me`, headers });
  expect(isUnwanted()).toBe(false);
});
