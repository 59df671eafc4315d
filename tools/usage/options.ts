// What `npm run usage` is asked for.
import { parseArgs } from "node:util";

export const help = `npm run usage -- [--operator NAME]...

Runs the operators' suites while recording what they use, and fails for spec fields and settings that no code reads, and for
status fields, reasons and metrics that nothing sets, unless a row of tools/usage/exceptions has them.

  --operator NAME  only this operator; may be repeated, or have commas
  --help           prints this

With TELLTALE_USAGE=FOLDER no suite is run: what TELLTALE_USAGE=FOLDER npm test recorded there is judged.`;

export type Options =
  | { readonly as: "help" }
  | { readonly as: "refused"; readonly message: string }
  | { readonly as: "operators"; readonly names: readonly string[] };

/** `all`: the operators that there are. Without a name all of them are meant. */
export function optionsOf(args: readonly string[], all: readonly string[]): Options {
  let values: { readonly operator?: string[]; readonly help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { operator: { type: "string", multiple: true }, help: { type: "boolean" } },
    }));
  } catch (error) {
    return { as: "refused", message: error instanceof Error ? error.message : String(error) };
  }
  if (values.help === true) return { as: "help" };
  const named = values.operator?.flatMap((text) => text.split(",").map((name) => name.trim()));
  const unknown = named?.find((name) => !all.includes(name));
  if (unknown !== undefined) {
    const what = unknown === "" ? "an operator without a name" : `there is no operator ${unknown}`;
    return { as: "refused", message: `${what}; choose from ${all.join(", ")}` };
  }
  return { as: "operators", names: all.filter((name) => named?.includes(name) ?? true) };
}
