// What has to be known of a module without running it: whether it names a backend, what its outputs are called, and whether a
// variable is more than a text. Read with patterns: whatever they miss, the program itself says. Pure.

/** Whether a module says itself where its state is kept. */
export function declaresBackend(module: string): boolean {
  const json = jsonOf(module);
  if (json !== undefined) {
    const blocks = [json["terraform"]].flat();
    return blocks.some((it) => typeof it === "object" && it !== null && ("backend" in it || "cloud" in it));
  }
  return /\bterraform\s*\{[\s\S]*?(?:\bbackend\s+"[^"]*"\s*\{|\bcloud\s*\{)/.test(bare(module));
}

/** The outputs that a module declares, in their order. */
export function outputsIn(module: string): readonly { readonly name: string; readonly isSensitive: boolean }[] {
  const json = jsonOf(module);
  if (json !== undefined) {
    const blocks = [json["output"]].flat().filter((it): it is Record<string, unknown> => isRecord(it));
    return blocks.flatMap((it) =>
      Object.entries(it).map(([name, of]) => ({ name, isSensitive: isRecord(of) && of["sensitive"] === true })),
    );
  }
  const code = bare(module);
  return [...code.matchAll(/\boutput\s+"([^"]+)"\s*\{/g)].map((found) => {
    const body = blockAt(code, found.index + found[0].length);
    return { name: found[1] ?? "", isSensitive: /\bsensitive\s*=\s*true\b/.test(body) };
  });
}

/** A value from a list of texts, as the variable's type wants it. */
export function typedValue(module: string, variable: string, value: string): unknown {
  const json = jsonOf(module);
  const code = bare(module);
  const at = new RegExp(`\\bvariable\\s+"${variable.replace(/[^\w-]/g, "\\$&")}"\\s*\\{`).exec(code);
  const type =
    json === undefined
      ? at === null
        ? undefined
        : /\btype\s*=\s*([a-z]+)/.exec(blockAt(code, at.index + at[0].length))?.[1]
      : typeInJson(json, variable);
  if (type === undefined || ["string", "number", "bool"].includes(type)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function typeInJson(json: Record<string, unknown>, variable: string): string | undefined {
  for (const block of [json["variable"]].flat()) {
    const declared = isRecord(block) ? block[variable] : undefined;
    const type = isRecord(declared) ? declared["type"] : undefined;
    if (typeof type === "string") return /^[a-z]+/.exec(type)?.[0];
  }
  return undefined;
}

/** Up to the brace that closes a block, its own blocks included. Braces within texts come in pairs. */
function blockAt(code: string, from: number): string {
  let depth = 1;
  for (let i = from; i < code.length; i += 1) {
    if (code[i] === "{") depth += 1;
    else if (code[i] === "}") depth -= 1;
    if (depth === 0) return code.slice(from, i);
  }
  return code.slice(from);
}

/** Without comments. */
const bare = (module: string): string =>
  module.replace(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g, (it) => (it.startsWith('"') ? it : " "));

function jsonOf(module: string): Record<string, unknown> | undefined {
  if (!module.trimStart().startsWith("{")) return undefined;
  try {
    const parsed: unknown = JSON.parse(module);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
