// The smallest operator there is: one object, one child, two writes.
import { conditions, defineKind, Fields, Int32, no, positive, type Resource, yes } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import type { Scenario } from "../src/index.ts";

export const Dot = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Dot",
  spec: Fields({ size: Int32({ minimum: 0, maximum: 9 }) }),
  conditions: conditions({
    Ready: positive({
      means: "It is there",
      reasons: { There: yes("It is there"), Missing: no("Something is missing", "wait") },
    }),
  }),
});
export type Dot = Resource<typeof Dot>;

const dotController = (): Controller =>
  controller(Dot)
    .owns(ConfigMap)
    .reconcile({
      observe: (dot) => ({ dot, as: "" }),
      async act(_plan, hands, { dot }) {
        const data = { size: `${dot.spec.size}` };
        const { as } = await hands.ensure(ConfigMap, { metadata: { name: dot.metadata.name ?? "" }, data });
        return { dot, as };
      },
      status({ as }, draft, now) {
        if (as !== "foreign" && as !== "terminating") draft.condition("Ready", true, "There", "It is there");
        else draft.condition("Ready", false, "Missing", "Something is missing").wake((now + 10_000) as typeof now);
      },
    });

export const dot: Dot = {
  apiVersion: Dot.apiVersion,
  kind: Dot.kind,
  metadata: { name: "dot", namespace: "default" },
  spec: { size: 1 },
};

export const tiny = (controllers: () => readonly Controller[] = () => [dotController()]): Scenario => ({
  name: "tiny",
  kinds: [Dot],
  operator: controllers,
  apply: [dot],
});
