// How the server deals with one of its built-in kinds.
import { allStrategies } from "../src/kinds/builtin.ts";
import type { Strategy } from "../src/kinds/strategy.ts";

export function builtinStrategy(group: string, name: string, version = "v1"): Strategy {
  const found = allStrategies.find(
    ({ kind }) => kind.group === group && kind.version === version && kind.kind === name,
  );
  if (found === undefined) throw new Error(`there is no built-in kind ${name} in ${group}/${version}`);
  return found;
}
