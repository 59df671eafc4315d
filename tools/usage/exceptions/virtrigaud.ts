import { unused, unusedRow } from "../../../operators/virtrigaud/test/unused.ts";
import type { Exception } from "./exception.ts";

/** What the descriptions of fields call unused. What is read all the same, to warn of it or to pass it on, needs no exception. */
export const virtrigaud: readonly Exception[] = unused
  .filter(({ how }) => how !== "inert")
  .map((row) => {
    const [part = "", ...path] = row.path.split(".");
    const what = `${part} ${row.kind} ${path.join(".")}`;
    return { what: row.how === "checked" ? `${what}*` : what, why: row.instead, told: unusedRow(row) };
  });
