// The program: a command line in, words and an exit code out.
import { systemClock, systemRandom } from "@telltale/clock";
import { operators } from "../operators/table.ts";
import { commands } from "./commands.ts";
import { helpOf, overview } from "./help.ts";
import { parse } from "./parse.ts";
import { exit, type Problem, problemOf } from "./problem.ts";
import { type Stream, terminal } from "./terminal.ts";
import { version } from "./version.ts";

export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly signal: AbortSignal;
}

/** Gives the exit code. Never throws. */
export async function program({ argv, env, stdout, stderr, signal }: Surroundings): Promise<number> {
  const out = terminal(stdout, env);
  const err = terminal(stderr, env);
  const said = parse(
    argv,
    commands,
    operators.map(({ name }) => name),
  );
  switch (said.as) {
    case "help":
      out.line(said.of === undefined ? overview(commands, operators) : helpOf(said.of));
      return argv.length === 0 ? exit.usage : exit.well;
    case "version":
      out.line(version);
      return exit.well;
    case "problem":
      return told(said.problem);
    case "call":
      try {
        const run = await said.command.load();
        return await run({ ...said, out, err, env, signal, clock: systemClock, random: systemRandom });
      } catch (error) {
        if (env["TELLTALE_DEBUG"]) err.line(error instanceof Error ? (error.stack ?? error.message) : String(error));
        return told(problemOf(error));
      }
  }

  function told({ message, fix, code }: Problem): number {
    err.line(`telltale: ${message}; ${fix}`);
    return code;
  }
}
