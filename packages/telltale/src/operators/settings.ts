// `--<operator>.<flag>` by the names that an operator has for its settings. Which names there are only its reader knows.
import type { Env } from "@telltale/runtime";
import { nearest } from "../program/parse.ts";
import { exit, misused, Problem } from "../program/problem.ts";

export interface Flags {
  readonly flags: readonly string[];
  named(given: Readonly<Record<string, string>>): Env;
}

/** `watch-namespaces` is `BINDY_WATCH_NAMESPACES` where `BINDY_` is the prefix. */
export function flagsOf(operator: string, prefix: string, read: (env: Env) => unknown): Flags {
  const names = new Map(
    namesRead(read).map((name) => [
      (name.startsWith(prefix) ? name.slice(prefix.length) : name).toLowerCase().replaceAll("_", "-"),
      name,
    ]),
  );
  const flags = [...names.keys()].sort();
  return {
    flags,
    named: (given) =>
      Object.fromEntries(
        Object.entries(given).map(([flag, value]) => {
          const name = names.get(flag);
          if (name !== undefined) return [name, value];
          throw misused(`${operator} has no setting ${flag}`, `${nearest(flag, flags)}there are ${flags.join(", ")}`);
        }),
      ),
  };
}

/** What a reader of settings looks at. */
function namesRead(read: (env: Env) => unknown): readonly string[] {
  const names = new Set<string>();
  const nothing = new Proxy<Env>(
    {},
    {
      get: (_target, name) => {
        if (typeof name === "string") names.add(name);
        return undefined;
      },
    },
  );
  read(nothing);
  return [...names];
}

/** Settings of a process that is in this namespace. Two on one machine would take each other for themselves by its name. */
export const placed = (settings: Env, namespace: string): Env => ({
  ...settings,
  POD_NAMESPACE: namespace,
  HOSTNAME: undefined,
});

/** What was read, or the first thing that is wrong with it. */
export function configured<C>(
  operator: string,
  read: { readonly config: C } | { readonly errors: readonly string[] },
): C {
  if ("config" in read) return read.config;
  const [first = "its settings are wrong", ...more] = read.errors;
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  throw new Problem(`${operator}: ${first}${rest}`, "correct that setting", exit.usage);
}
