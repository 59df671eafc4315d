// Constant format strings are compared with the types of their arguments when an expression is written.
import type { Expr } from "../ast.ts";
import type { Checked } from "../check.ts";
import type { Problem } from "../problem.ts";
import { type Type, typeName } from "../types.ts";
import { verbErrors } from "./format-string.ts";

export function formatProblems(call: Expr & { kind: "call" }, checked: Checked): Problem[] {
  const { target, args } = call;
  const [list] = args;
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return [];
  const clauses = [...target.value.matchAll(/%(?:%|(?:\.\d+)?([a-zA-Z]))/g)].flatMap((match) => match[1] ?? []);
  const problems: Problem[] = [];
  for (const [i, verb] of clauses.entries()) {
    const item = list.items[i];
    if (item === undefined) return [{ at: call.at, text: `index ${i} out of range` }];
    const type = checked.typeAt(item);
    const wrong = verbErrors[verb];
    if (wrong === undefined)
      return [{ at: call.at, text: `could not parse formatting clause: unrecognized formatting clause "${verb}"` }];
    if (!takes(verb, type))
      problems.push({ at: item.at, text: `error during formatting: ${wrong}, was given ${typeName(type)}` });
  }
  if (problems.length === 0 && list.items.length > clauses.length)
    return [
      {
        at: call.at,
        text: `too many arguments supplied to string.format (expected ${clauses.length}, got ${list.items.length})`,
      },
    ];
  return problems.slice(0, 1);
}

const integers = ["int", "uint"];
const takers: Readonly<Record<string, readonly string[]>> = {
  s: ["string", "bool", "bytes", "int", "uint", "double", "map", "list", "type", "duration", "timestamp", "null"],
  d: integers,
  f: ["double"],
  e: ["double"],
  b: [...integers, "bool"],
  o: integers,
  x: [...integers, "bytes", "string"],
  X: [...integers, "bytes", "string"],
};

const takes = (verb: string, type: Type): boolean => type.kind === "dyn" || takers[verb]?.includes(type.kind) === true;
