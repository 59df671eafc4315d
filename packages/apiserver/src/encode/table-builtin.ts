// Which built-in kinds have columns of their own. Everything else shows its name and when it was made.
import { ageOf, count, nameOf } from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";
import { configForms } from "./table-config.ts";
import { eventForms } from "./table-event.ts";
import { networkForms } from "./table-network.ts";
import { podForm } from "./table-pod.ts";
import { storageForms } from "./table-storage.ts";
import { workloadForms } from "./table-workload.ts";

const forms: Readonly<Record<string, TableForm>> = {
  "/Pod": podForm,
  ...workloadForms,
  ...networkForms,
  ...storageForms,
  ...configForms,
  ...eventForms,
};

export function builtinForm(group: string, kind: string): TableForm | undefined {
  return forms[`${group}/${kind}`];
}

/** What `scale` of a built-in kind shows. */
export const builtinScale: TableForm = {
  columns: columns("Name | Desired:integer | Available:integer | Age"),
  row: (o, now) => [nameOf(o), count(o, "spec", "replicas"), count(o, "status", "replicas"), ageOf(o, now)],
};
