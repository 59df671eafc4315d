// A program of ours that prints where something is, and brings it where it is not: `npm run helm`, `npm run bind` and others.
import { parseArgs } from "node:util";

type Bring = (say: (line: string) => void) => string | Promise<string>;

export async function bringing(name: string, what: string, bring: Bring): Promise<void> {
  try {
    const { values } = parseArgs({ options: { help: { type: "boolean" } } });
    if (values.help) console.log(`npm run ${name}\n\n${what}\n\n  --help   print this`);
    else console.log(await bring((line) => console.error(`${name}: ${line}`)));
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
