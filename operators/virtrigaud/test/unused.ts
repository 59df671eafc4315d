// What the kinds have for compatibility and nobody uses, with what happens instead: as the descriptions of the fields say it. The table
// of the README is made of it.
import { markdownTable as table } from "@telltale/kinds";
import { saying } from "../src/kinds/fields.ts";
import { virtrigaudKinds } from "../src/kinds/index.ts";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

export interface Unused {
  readonly kind: string;
  /** `spec.a.b[].c` */
  readonly path: string;
  /** `checked`: it has to keep the rules. `inert`: it is read, to warn of it or to pass it on. */
  readonly how: keyof typeof saying;
  readonly instead: string;
}

/** Fields of a VirtualMachine that other kinds write into the one that they make. */
const copies = ["VMSet spec.template.spec.", "VMClone spec.target.", "VMMigration spec.target."];

export const unused: readonly Unused[] = virtrigaudKinds
  .flatMap(({ kind, schema: { spec, status = {} } }) => [
    ...within(kind, "spec", spec),
    ...within(kind, "status", status),
  ])
  .filter(({ kind, path }) => !copies.some((copy) => `${kind} ${path}`.startsWith(copy)));

function within(kind: string, path: string, { description = "", properties = {}, items }: Schema): Unused[] {
  for (const how of ["unused", "checked", "inert"] as const) {
    if (description.startsWith(saying[how]))
      return [{ kind, path, how, instead: description.slice(saying[how].length) }];
  }
  return [
    ...Object.entries(properties).flatMap(([name, child]) => within(kind, `${path}.${name}`, child)),
    ...(items === undefined ? [] : within(kind, `${path}[]`, items)),
  ];
}

const cells = ({ kind, path, instead }: Unused) => [`\`${kind}\``, `\`${path}\``, instead] as const;

/** As the README has it. */
export const unusedRow = (row: Unused): string => `| ${cells(row).join(" | ")} |`;

export const unusedTable = (): string => table(["Kind", "Field", "Instead"], unused.map(cells));
