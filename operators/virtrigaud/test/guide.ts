// The documents that are made from the kinds: the tables of the README. Pure.
import { type ConditionDeclaration, type Kind, markdownTable as table } from "@telltale/kinds";
import { eventMeanings } from "../src/event-meanings.ts";
import { virtrigaudKinds } from "../src/kinds/index.ts";

/** What kinds there are. */
export const kindTable = (): string =>
  table(
    ["Kind", "Short", "Is"],
    virtrigaudKinds.map(({ kind, shortNames, description }) => [
      code(kind),
      shortNames.map(code).join(", "),
      description,
    ]),
  );

/** Where an object of each kind can stand. */
export const phaseTables = (): string =>
  virtrigaudKinds
    .map((kind) => [kind.kind, phasesOf(kind)] as const)
    .filter(([, phases]) => phases.length > 0)
    .map(([kind, phases]) =>
      [
        `### ${kind}`,
        table(
          ["Phase", "Means"],
          phases.map(([name, means]) => [code(name), means]),
        ),
      ].join("\n\n"),
    )
    .join("\n\n");

/** Two kinds have their phase a level further down, where its description names each. */
const deeper: Readonly<Record<string, readonly string[]>> = {
  Provider: ["runtime", "phase"],
  VMSet: ["updateStatus", "phase"],
};

function phasesOf({ kind, phases, schema }: Kind): readonly (readonly [string, string])[] {
  if (phases !== undefined) return phases.names.map((name) => [name, phases.means[name] ?? ""] as const);
  const start = schema.status;
  const field = (deeper[kind] ?? ["none"]).reduce((it, name) => it?.properties?.[name], start);
  const lines = field?.description?.split("\n").slice(1) ?? [];
  return lines.map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)] as const;
  });
}

/** What each condition and each of its reasons means, and what to do about it. */
export const conditionTables = (): string =>
  virtrigaudKinds
    .map(({ kind, conditions }) => {
      const told = new Map<string, string>();
      const rows = Object.entries(conditions.types).flatMap(([type, declared]) => rowsOf(type, declared, told));
      return [`### ${kind}`, table(["Condition", "Reason", "Of", "Means", "Do"], rows)].join("\n\n");
    })
    .join("\n\n");

/** What a condition before it says in the same words is not said again. */
function rowsOf(type: string, { reasons, means }: ConditionDeclaration, told: Map<string, string>): string[][] {
  const rows: string[][] = [];
  const repeated = new Map<string, string[]>();
  for (const [reason, { on, means: said, fix }] of Object.entries(reasons)) {
    const key = JSON.stringify([reason, said, fix]);
    const before = told.get(key);
    if (before === undefined) {
      told.set(key, type);
      rows.push(["", code(reason), on.join(", "), said, fix === "nothing to do" ? "" : fix]);
    } else {
      const same = JSON.stringify([on.join(", "), before]);
      repeated.set(same, [...(repeated.get(same) ?? []), code(reason)]);
    }
  }
  for (const [same, names] of repeated) {
    const [on, before] = JSON.parse(same) as readonly [string, string]; // written a few lines above
    rows.push(["", names.join(", "), on, `as of ${code(before)}`, ""]);
  }
  return [[code(type), "", "", `**${means}**`, ""], ...rows];
}

/** What the events say. */
export const eventTable = (): string =>
  table(
    ["Event", "Type", "Means", "Do"],
    Object.entries(eventMeanings).map(([name, { type, means, fix }]) => [code(name), type, means, fix]),
  );

const code = (text: string): string => `\`${text}\``;
