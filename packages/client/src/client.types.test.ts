// What must compile, and what must not.
import { defineKind, Fields, Int32 } from "@telltale/kinds";
import { ConfigMap, type ConfigMap as ConfigMapObject, Pod } from "@telltale/kinds/builtin";
import { expect, expectTypeOf, it } from "vitest";
import type { Client, Page } from "./verbs.ts";
import type { WatchEvent } from "./watch.ts";

const Gadget = defineKind({
  group: "telltale.test",
  version: "v1",
  kind: "Gadget",
  spec: Fields({ size: Int32() }),
  status: Fields({ seen: Int32() }),
});

it("answers are typed by the kind value, and requests are held to it", () => {
  // Never run: only its types matter.
  const check = async (client: Client) => {
    expectTypeOf(await client.get(ConfigMap, "a")).toEqualTypeOf<ConfigMapObject>();
    expectTypeOf(await client.list(ConfigMap)).toEqualTypeOf<Page<ConfigMapObject>>();
    expectTypeOf((await client.get(Gadget, "a")).spec.size).toEqualTypeOf<number>();
    for await (const event of client.watch(ConfigMap)) expectTypeOf(event).toEqualTypeOf<WatchEvent<ConfigMapObject>>();
    await client.apply(Gadget, { metadata: { name: "a" }, spec: {} });
    await client.status.apply(Gadget, { metadata: { name: "a" }, status: { seen: 1 } });
    // @ts-expect-error a size is a number
    await client.apply(Gadget, { spec: { size: "1" } });
    // @ts-expect-error a ConfigMap has no spec
    await client.create(ConfigMap, { spec: {} });
    // @ts-expect-error what becomes of dependents has to be said
    await client.delete(Pod, { name: "a", namespace: "b" }, {});
    // @ts-expect-error a patch is one of three types
    await client.patch(Pod, { name: "a", namespace: "b" }, { yaml: {} });
  };
  expect(check).toBeTypeOf("function");
});
