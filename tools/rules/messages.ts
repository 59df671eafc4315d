// A message is for people: no code takes identity, counters or states from one. What a message of a server, a program or a foreign
// object may still tell (the class of an error, evidence of a verdict) stands in the table below, with the reason.
// It follows a message under other names within one file: an alias, a destructured field, a parameter that is given one.
import { codeOf, type File, isTest, isTypeScript, lineAt, type Violation } from "./source.ts";

/** Where statuses are read and written. */
const checked = /^(operators\/[^/]+|packages\/(runtime|status|simulation))\/src\//;

/** Files that may look into a message, and what message that is. */
export const allowed: Readonly<Record<string, string>> = {
  "operators/bindy/src/aggregate/pods-from-messages.ts": "migration: reads the form before status.pods once",
  "operators/bindy/src/sanitise.ts": "writes a message: cuts what others said",
  "operators/bindy/src/zone/standing-from-message.ts": "migration: reads the form before there were reasons",
  "operators/capt/src/refusal.ts": "the API server's answer to a write",
  "operators/capt/src/sanitize.ts": "writes a message: cuts what a program printed",
  "operators/capt/src/workspace-conditions.ts": "Crossplane's condition of a Workspace: the class of an error",
  "operators/capt/src/workspace-template-apply/act.ts": "the API server's answer to a write",
  "operators/locust/src/locust-test/pod-health.ts": "the kubelet's reason why a container does not start: a hint",
  "operators/virtrigaud/src/link/failure.ts": "a provider's error: its class",
  "operators/virtrigaud/src/qemu/work.ts": "writes a message: cuts what QEMU answered",
  "operators/virtrigaud/src/sdk/service.ts": "writes a message: cuts an error",
  "operators/virtrigaud/src/virtual-machine/marks-from-message.ts":
    "migration: reads the form before there was a reason",
  "operators/virtrigaud/src/vm-image/entry-from-message.ts": "migration: reads the form before the typed fields once",
  "operators/virtrigaud/src/vm-migration/job-state.ts": "what a container wrote to its termination log",
  "packages/runtime/src/failure.ts": "the API server's answer: a quota or a missing permission",
  "packages/runtime/src/outside/event-object.ts": "writes a message: cuts it",
  "packages/simulation/src/insist.ts": "the API server's answer to a write",
  "packages/status/src/lint.ts": "judges the wording of a message",
  "packages/status/src/text.ts": "writes a message: cuts it",
};

const readers = "match|matchAll|search|startsWith|endsWith|includes|indexOf|slice|substring|split";

/** Every place that looks into a message, and every entry of the table that nothing needs any more. */
export function messages(files: readonly File[]): Violation[] {
  const sources = files.filter(({ path }) => isTypeScript(path) && checked.test(path) && !isTest(path));
  const found = sources.flatMap(lookups);
  const needed = new Set(found.map(({ file }) => file));
  const unused = sources
    .filter(({ path }) => allowed[path] !== undefined && !needed.has(path))
    .map(({ path }) => violation(path, 1, "looks into no message any more; take it out of the table in tools/rules"));
  return [...found.filter(({ file }) => allowed[file] === undefined), ...unused];
}

function lookups({ path, text }: File): Violation[] {
  const code = codeOf(text);
  const names = namesOf(code);
  const value = use(names);
  const fixed = fixedTexts(code, names);
  const looks = new RegExp(
    [
      `${value}(?:\\s*\\?\\?\\s*["'\`]\\s*["'\`]\\s*\\))?\\s*[!?]?\\s*\\.\\s*(?:(?:trim|trimStart|trimEnd|toLowerCase)\\(\\)\\s*\\.\\s*)?(?:${readers})\\s*\\(`,
      `\\.\\s*(?:exec|test|has)\\s*\\([^();]*?${value}`,
      // Compared with a text. Whether there is one, and whether it is still the same one, is no state.
      `(?<!\\btypeof\\s[\\w$.?!]*)${value}(?:\\s*\\?\\?\\s*["'\`]\\s*["'\`]\\s*\\))?\\s*[!=]==?\\s*${fixed}`,
      `${fixed}\\s*[!=]==?\\s*[\\w$.?!\\[\\]]*?${value}(?!\\s*[.[])`,
      `\\bswitch\\s*\\([^(){}]*?${value}(?:\\s*\\?\\?[^(){}]*)?\\)`,
    ].join("|"),
    "g",
  );
  return [...code.matchAll(looks)].map(({ index }) =>
    violation(
      path,
      lineAt(text, index),
      "takes something from a message; keep it in a typed field, an annotation or declared memory",
    ),
  );
}

/** A text that stands there, and a constant that is one. The empty text is none: it says that there is no message. */
function fixedTexts(code: string, messages: ReadonlySet<string>): string {
  const literal = /(?:text\s*)?(?:"(?!")[^"]*"|'(?!')[^']*'|`(?!`)[^`]*`)/.source;
  const declared = new RegExp(`\\bconst\\s+([\\w$]+)\\s*(?::[^=;]*)?=\\s*${literal}\\s*(?:as const\\s*)?;`, "g");
  const names = [...code.matchAll(declared)].map(([, name = ""]) => name).filter((name) => !messages.has(name));
  return `(?:${[literal, ...names.map((name) => `(?<![\\w$.])${name.replace(/\$/g, "\\$")}\\b(?!\\s*[.(])`)].join("|")})`;
}

/** One of the names as a value: not a key of an object, and not called. */
function use(names: ReadonlySet<string>): string {
  const name = `(?:${[...names].join("|")})\\b`;
  return `(?:\\.\\s*${name}(?!\\s*\\()|(?<![\\w$.])${name}(?!\\s*[:(]))`;
}

/** What holds a message in this file: to a fixed point, as a parameter may be handed on. */
function namesOf(code: string): ReadonlySet<string> {
  const names = new Set(["message"]);
  const parameters = parametersOf(code);
  for (let size = 0; size !== names.size; ) {
    size = names.size;
    const held = use(names);
    // const said = condition.message; const said = condition?.message ?? "";
    const alias = new RegExp(
      `\\b(?:const|let)\\s+([\\w$]+)\\s*(?::[^=;]*)?=\\s*[\\w$.?!()[\\]\\s]*?${held}\\s*(?:(?:\\?\\?|:)[^;]*)?;`,
      "g",
    );
    for (const [, to = ""] of code.matchAll(alias)) names.add(to);
    // const { message: said = "" } = condition; ({ message: said }) => …
    const destructured =
      /\{[^{};]*\bmessage\s*:\s*([\w$]+)\s*(?=[,=}])[^{};]*\}\s*(?:=[^=>]|:\s*[A-Z]|(?:,[^()]*)?\)\s*(?::[^=;{]*)?=>)/g;
    for (const [, to = ""] of code.matchAll(destructured))
      if (!/^(string|undefined|text|true|false)$/.test(to)) names.add(to);
    for (const [called, list] of parameters) {
      for (const given of argumentsOf(code, called)) {
        given.forEach((argument, at) => {
          const to = list[at];
          if (to !== undefined && new RegExp(`${held}\\s*(?:\\?\\?[^]*)?$`).test(argument)) names.add(to);
        });
      }
    }
  }
  return names;
}

/** The names of the parameters of each function that the file declares. */
function parametersOf(code: string): ReadonlyMap<string, readonly (string | undefined)[]> {
  const declared =
    /\bfunction\s+([\w$]+)\s*(?:<[^(]*>)?\(|\b(?:const|let)\s+([\w$]+)\s*(?::[^=;]*)?=\s*(?:async\s*)?\((?=[^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::[^=;]*)?=>)/g;
  return new Map(
    [...code.matchAll(declared)].map((match) => [
      match[1] ?? match[2] ?? "",
      splitArguments(code, match.index + match[0].length).map((one) => /^\s*([\w$]+)/.exec(one)?.[1]),
    ]),
  );
}

const argumentsOf = (code: string, called: string): readonly (readonly string[])[] =>
  [...code.matchAll(new RegExp(`(?<!function\\s+)(?<![\\w$.])${called.replace(/\$/g, "\\$")}\\s*\\(`, "g"))].map(
    (match) => splitArguments(code, match.index + match[0].length),
  );

/** What stands between an open parenthesis and its end, by its commas. */
function splitArguments(code: string, from: number): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < code.length; at++) {
    const char = code.charAt(at);
    if (depth === 0 && (char === "," || char === ")")) {
      found.push(code.slice(start, at).trim());
      start = at + 1;
      if (char === ")") break;
    }
    if ("([{".includes(char)) depth++;
    if (")]}".includes(char)) depth--;
  }
  return found;
}

const violation = (file: string, line: number, message: string): Violation => ({
  file,
  line,
  rule: "messages",
  message,
});
