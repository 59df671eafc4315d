import { conditions, defineKind, Fields, no, plus, positive, Text, yes } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";
import { reportText, type Scenario, simulate } from "@telltale/simulation";

const Page = defineKind({
  group: "example.com", version: "v1", kind: "Page",
  spec: Fields({ text: Text() }),
  conditions: conditions({
    Ready: positive({
      means: "The page can be read",
      reasons: { Published: yes("It is in its ConfigMap"), NameTaken: no("Somebody else has the name", "choose another") },
    }),
  }),
});

const pages = controller(Page).owns(ConfigMap).reconcile({
  observe: ({ metadata, spec }) => ({ name: metadata.name ?? "", text: spec.text, map: "" }),
  async act(_plan, hands, { name, text }) {
    const { as } = await hands.ensure(ConfigMap, { metadata: { name }, data: { text } });
    return { name, text, map: as };
  },
  status({ map }, draft, now) {
    if (map !== "foreign" && map !== "terminating") draft.condition("Ready", true, "Published", "It can be read");
    else draft.condition("Ready", false, "NameTaken", "Somebody else has the name").wake(plus(now, 10_000));
  },
});

export const published: Scenario = {
  name: "published",
  kinds: [Page],
  operator: () => [pages],
  apply: [{ apiVersion: "example.com/v1", kind: "Page", metadata: { name: "home", namespace: "default" }, spec: { text: "hello" } } as never],
};

export const main = async (plans: number) => console.log(reportText(await simulate(published, { plans })));
