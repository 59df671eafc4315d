// Locust's command line, as its own parser reads it: which flags there are, how they are written, and what they take.
// Checked against Locust 2.46.

/** A flag of Locust, by its long name. */
export interface Flag {
  readonly short?: string;
  /** `list`: everything up to the next flag. */
  readonly takes: "nothing" | "value" | "list";
}

const flag = (short?: string): Flag => ({ takes: "nothing", ...(short !== undefined && { short }) });
const value = (short?: string): Flag => ({ takes: "value", ...(short !== undefined && { short }) });
const list = (short?: string): Flag => ({ takes: "list", ...(short !== undefined && { short }) });

export const flags = {
  "--help": flag("-h"),
  "--locustfile": value("-f"),
  "--config": value(),
  "--host": value("-H"),
  "--users": value("-u"),
  "--spawn-rate": value("-r"),
  "--run-time": value("-t"),
  "--list": flag("-l"),
  "--config-users": list(),
  "--web-host": value(),
  "--web-host-display-name": value(),
  "--web-port": value("-P"),
  "--headless": flag(),
  "--autostart": flag(),
  "--autoquit": value(),
  "--headful": flag(),
  "--web-auth": value(),
  "--web-login": flag(),
  "--tls-cert": value(),
  "--tls-key": value(),
  "--class-picker": flag(),
  "--build-path": value(),
  "--legacy-ui": flag(),
  "--master": flag(),
  "--master-bind-host": value(),
  "--master-bind-port": value(),
  "--expect-workers": value(),
  "--expect-workers-max-wait": value(),
  "--enable-rebalancing": flag(),
  "--expect-slaves": flag(),
  "--worker": flag(),
  "--processes": value(),
  "--slave": flag(),
  "--master-host": value(),
  "--master-port": value(),
  "--web-base-path": value(),
  "--tags": list("-T"),
  "--exclude-tags": list("-E"),
  "--csv": value(),
  "--csv-full-history": flag(),
  "--print-stats": flag(),
  "--only-summary": flag(),
  "--reset-stats": flag(),
  "--html": value(),
  "--json": flag(),
  "--json-file": value(),
  "--skip-log-setup": flag(),
  "--loglevel": value("-L"),
  "--logfile": value(),
  "--show-task-ratio": flag(),
  "--show-task-ratio-json": flag(),
  "--version": flag("-V"),
  "--exit-code-on-error": value(),
  "--stop-timeout": value("-s"),
  "--equal-weights": flag(),
  "--profile": value(),
  "--otel": flag(),
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof flags;

/** What was written, flag by flag; of several occurrences the last one counts. */
export interface Given {
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  /** What is no flag of Locust's, cannot be told from others, or lacks its value: Locust would refuse it. */
  readonly wrong: readonly string[];
  /** What stands on its own: the names of user classes. */
  readonly words: readonly string[];
}

/** Reads arguments: `--users 5`, `--users=5`, `-u 5`, `-u5`, `-u=5` and `--user 5` are the same. */
export function readFlags(args: readonly string[]): Given {
  const values = new Map<FlagName, readonly string[]>();
  const wrong: string[] = [];
  const words: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      words.push(...rest);
      break;
    }
    const found = isWord(arg) ? "word" : findFlag(arg);
    if (found === "word") words.push(arg);
    else if (found === undefined) wrong.push(arg);
    else {
      const taken = take(found, rest);
      if (taken === undefined) wrong.push(arg);
      else values.set(found.name, taken);
    }
  }
  return { values, wrong, words };
}

interface Found {
  readonly name: FlagName;
  /** What is attached to it: `5` in `-u5` and in `--users=5`. */
  readonly attached?: string;
}

const names = Object.keys(flags) as FlagName[];
const takes = (name: FlagName): Flag["takes"] => flags[name].takes;
const byShort = new Map<string, FlagName>(
  names.flatMap((name) => {
    const { short }: Flag = flags[name];
    return short === undefined ? [] : [[short, name] as const];
  }),
);

/** A number below zero is a value, like anything that does not begin with a dash. */
const isWord = (arg: string): boolean => !arg.startsWith("-") || arg === "-" || /^-\d+$|^-\d*\.\d+$/.test(arg);

function findFlag(arg: string): Found | undefined {
  if (!arg.startsWith("--")) {
    const name = byShort.get(arg.slice(0, 2));
    if (name === undefined) return undefined;
    return arg.length === 2 ? { name } : { name, attached: arg.slice(arg[2] === "=" ? 3 : 2) };
  }
  const end = arg.indexOf("=");
  const written = end < 0 ? arg : arg.slice(0, end);
  const exact = names.find((it) => it === written);
  const alike = names.filter((it) => it.startsWith(written));
  const name = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (name === undefined) return undefined;
  return end < 0 ? { name } : { name, attached: arg.slice(end + 1) };
}

/** The values of a flag, taken off what follows; undefined where they do not fit. */
function take({ name, attached }: Found, rest: string[]): readonly string[] | undefined {
  if (attached !== undefined) return takes(name) === "nothing" ? undefined : [attached];
  if (takes(name) === "nothing") return [];
  const next = rest[0];
  if (takes(name) === "value") {
    if (next === undefined || !isWord(next)) return undefined;
    rest.shift();
    return [next];
  }
  const end = rest.findIndex((it) => !isWord(it));
  return rest.splice(0, end < 0 ? rest.length : end);
}
