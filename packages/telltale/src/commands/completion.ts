// `telltale completion SHELL`: prints what a shell sources.
import { operators } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { commands } from "../program/commands.ts";
import { completion, shells } from "../program/completion.ts";
import { exit, misused } from "../program/problem.ts";

export async function run({ words, out }: Call): Promise<number> {
  const shell = shells.find((it) => it === words[0]);
  if (shell === undefined) {
    throw misused(
      words[0] === undefined ? "no shell is named" : `nobody knows ${words[0]} here`,
      `choose from ${shells.join(", ")}`,
    );
  }
  out.write(
    completion(
      shell,
      commands,
      operators.map(({ name }) => name),
    ),
  );
  return exit.well;
}
