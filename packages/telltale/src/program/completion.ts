// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a shell reads has braces of its own.
// What a shell has to know to complete a command line: made from the table of commands, so that it knows them all. Pure.
import type { Command } from "./command.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function completion(shell: Shell, commands: readonly Command[], operators: readonly string[]): string {
  if (shell === "fish") return fish(commands, operators);
  const body = bash(commands, operators);
  return shell === "bash"
    ? body
    : ["#compdef telltale", "autoload -U +X bashcompinit && bashcompinit", body].join("\n");
}

const optionsOf = ({ options }: Command): readonly string[] => [
  ...Object.keys(options).map((name) => `--${name}`),
  "--help",
];

const wordsOf = ({ completes }: Command, operators: readonly string[]): readonly string[] =>
  completes === "operators" ? operators : completes === "shells" ? shells : [];

function bash(commands: readonly Command[], operators: readonly string[]): string {
  const cases = commands.map(
    (command) => `    ${command.name}) words="${[...optionsOf(command), ...wordsOf(command, operators)].join(" ")}" ;;`,
  );
  return [
    "# telltale: source <(telltale completion bash)",
    "_telltale() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" words',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${commands.map(({ name }) => name).join(" ")} --help --version"`,
    "  else",
    '    case "${COMP_WORDS[1]}" in',
    ...cases,
    '    *) words="" ;;',
    "    esac",
    "  fi",
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    `  --operators|--operator) words="${operators.join(" ")}" ;;`,
    '  --kubeconfig|--data) COMPREPLY=($(compgen -f -- "$word")); return ;;',
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    "}",
    "complete -F _telltale telltale",
    "",
  ].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fish(commands: readonly Command[], operators: readonly string[]): string {
  const first = "__fish_use_subcommand";
  const lines = commands.flatMap((command) => {
    const { name, summary, options } = command;
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    const words = wordsOf(command, operators);
    return [
      `complete -c telltale -f -n ${first} -a ${name} -d ${quoted(summary)}`,
      ...Object.entries(options).map(
        ([long, { value, short, means }]) =>
          `complete -c telltale ${here} -l ${long}${short === undefined ? "" : ` -s ${short}`}${value === undefined ? "" : " -r"} -d ${quoted(means)}`,
      ),
      ...(words.length === 0 ? [] : [`complete -c telltale -f ${here} -a '${words.join(" ")}'`]),
    ];
  });
  return ["# telltale: telltale completion fish | source", ...lines, ""].join("\n");
}
