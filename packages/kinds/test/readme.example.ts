import { conditions, defineKind, Enum, Fields, Int32, no, Optional, phases, positive, type Resource, toCrd, yes } from "@telltale/kinds";

export const Kettle = defineKind({
  group: "kitchen.example.com",
  version: "v1",
  kind: "Kettle",
  shortNames: ["kt"],
  spec: Fields({ litres: Int32({ minimum: 1, maximum: 3, default: 1 }), colour: Optional(Enum(["Red", "Steel"])) }),
  status: Fields({ degrees: Int32() }),
  phases: phases({ Cold: ["Heating"], Heating: ["Boiled"], Boiled: [] }, { final: ["Boiled"] }),
  conditions: conditions({
    Ready: positive({
      means: "The water has boiled",
      reasons: { Boiled: yes("It is done"), Heating: no("The water is heating", "wait"), Empty: no("No water", "fill it") },
      initial: { status: "False", reason: "Heating", message: "" },
    }),
  }),
});
export type Kettle = Resource<typeof Kettle>;

export const crd = toCrd(Kettle);
