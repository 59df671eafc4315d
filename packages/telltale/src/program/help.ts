// What the program says of itself. Pure.
import type { Command, Option } from "./command.ts";

export function overview(
  commands: readonly Command[],
  operators: readonly { name: string; summary: string }[],
): string {
  return [
    "telltale: Kubernetes operators whose status tells the truth",
    "",
    "usage: telltale COMMAND [options]",
    "",
    ...table(commands.map(({ name, words, summary }) => [[name, words].join(" ").trim(), summary])),
    "",
    "operators:",
    ...table(operators.map(({ name, summary }) => [name, summary])),
    "",
    "telltale COMMAND --help says more. To begin: telltale up",
  ].join("\n");
}

export function helpOf({ name, words, summary, options, more }: Command): string {
  const rows = Object.entries({ ...options, help: { short: "h", means: "this text" } as Option }).map(([long, it]) => {
    const short = it.short === undefined ? "" : `-${it.short}, `;
    return [`${short}--${long}${it.value === undefined ? "" : ` ${it.value}`}`, it.means];
  });
  return [
    `usage: telltale ${[name, words].join(" ").trim()} [options]`,
    "",
    `${summary}.`,
    "",
    ...table(rows),
    ...(more === undefined ? [] : ["", more]),
  ].join("\n");
}

function table(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
}
