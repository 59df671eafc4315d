// From the words of a command line to a call, or to what is wrong with them. Pure.
import { parseArgs } from "node:util";
import type { Call, Command } from "./command.ts";
import { misused, type Problem } from "./problem.ts";

export type Parsed =
  | { readonly as: "help"; readonly of?: Command }
  | { readonly as: "version" }
  | ({ readonly as: "call"; readonly command: Command } & Said)
  | { readonly as: "problem"; readonly problem: Problem };

export type Said = Pick<Call, "words" | "values" | "flags" | "settings">;

export function parse(argv: readonly string[], commands: readonly Command[], operators: readonly string[]): Parsed {
  const [first, ...rest] = argv;
  if (first === undefined || first === "help" || first === "--help" || first === "-h") {
    const of = commands.find(({ name }) => name === rest[0]);
    return { as: "help", ...(of !== undefined && { of }) };
  }
  if (first === "--version" || first === "-V") return { as: "version" };
  const command = commands.find(({ name }) => name === first);
  if (command === undefined) {
    return problem(`there is no command ${first}`, `${nearest(first, namesOf(commands))}telltale --help lists them`);
  }
  if (rest.includes("--help") || rest.includes("-h")) return { as: "help", of: command };
  return calling(command, rest, operators);
}

const namesOf = (commands: readonly Command[]): readonly string[] => commands.map(({ name }) => name);

function calling(command: Command, args: readonly string[], operators: readonly string[]): Parsed {
  const { mine, settings, wrong } = apart(args, command, operators);
  if (wrong !== undefined) return wrong;
  const read = parsed(command, mine);
  if ("as" in read) return read;
  const { values, positionals } = read;
  if (positionals.length > command.most) {
    const extra = positionals[command.most] ?? "";
    return problem(`telltale ${command.name}: nobody knows what "${extra}" is for`, help(command));
  }
  const entries = Object.entries(values);
  return {
    as: "call",
    command,
    words: positionals,
    values: Object.fromEntries(entries.filter((it): it is [string, string] => typeof it[1] === "string")),
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    settings,
  };
}

interface Read {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parsed(command: Command, args: readonly string[]): Read | Parsed {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), ...(short && { short }) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const unknown = /Unknown option '(-[^']*)'/.exec(error instanceof Error ? error.message : "")?.[1];
    const fix = help(command);
    if (unknown === undefined) {
      const said = error instanceof Error ? error.message.replace(/\.? To specify .*|\.$/s, "") : "";
      return problem(`telltale ${command.name}: ${said.charAt(0).toLowerCase()}${said.slice(1)}`, fix);
    }
    const known = Object.keys(command.options).map((name) => `--${name}`);
    return problem(`telltale ${command.name}: there is no ${unknown}`, `${nearest(unknown, known)}${fix}`);
  }
}

const help = ({ name }: Command): string => `telltale ${name} --help`;

const problem = (message: string, fix: string): Parsed => ({ as: "problem", problem: misused(message, fix) });

/** `--capt.secret-timeout 5m` is the operator's; what is left is ours. */
function apart(args: readonly string[], command: Command, operators: readonly string[]) {
  const mine: string[] = [];
  const settings: Record<string, Record<string, string>> = {};
  let wrong: Parsed | undefined;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? "";
    const [, operator, flag, , value] = /^--([a-z0-9-]+)\.([A-Za-z0-9_-]+)(=(.*))?$/s.exec(arg) ?? [];
    if (operator === undefined || flag === undefined) {
      mine.push(arg);
      continue;
    }
    if (command.takesSettings !== true) {
      wrong ??= problem(`telltale ${command.name}: takes no settings of operators, such as ${arg}`, help(command));
    }
    if (!operators.includes(operator)) {
      wrong ??= problem(`${arg}: there is no operator ${operator}`, `choose from ${operators.join(", ")}`);
    }
    const given = value ?? args[++i];
    if (given === undefined) wrong ??= problem(`${arg} has no value`, `write ${arg}=VALUE`);
    settings[operator] = { ...settings[operator], [flag]: given ?? "" };
  }
  return { mine, settings, wrong };
}

/** `did you mean tree? `, where one of these is near. */
export function nearest(word: string, known: readonly string[]): string {
  const best = known
    .map((it) => ({ it, far: distance(word, it) }))
    .sort((a, b) => a.far - b.far)
    .at(0);
  return best !== undefined && best.far <= Math.max(1, Math.floor(word.length / 3)) ? `did you mean ${best.it}? ` : "";
}

/** How many letters have to be changed, put in or left out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
