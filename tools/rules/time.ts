// Time and chance are injected, so that a seed decides everything: one file reads them, and no other.
// The packages of values and pure functions also do no I/O.
import { codeOf, type File, importsOf, isTest, isTypeScript, lineAt, type Violation } from "./source.ts";

const clockFile = "packages/clock/src/system.ts";
const free = /^(tools|bench)\//;
const pure = /^packages\/(kinds|status)\//;

const timers = "setTimeout|setInterval|setImmediate";
const random = "randomUUID|randomBytes|randomInt|randomFill|randomFillSync|getRandomValues";

/** What reads time or chance, and what to do instead. A bare name counts too: `const now = Date.now` reads it later. */
const sources: readonly { readonly what: RegExp; readonly instead: string }[] = [
  { what: /\bDate\.now\b/g, instead: "take `now` as an argument, or ask the clock" },
  { what: /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g, instead: "take `now` as an argument, or ask the clock" },
  { what: /(?<!\bnew\s+)(?<![\w$.])Date\s*\(/g, instead: "take `now` as an argument, or ask the clock" },
  { what: /\bTemporal\.Now\b/g, instead: "take `now` as an argument, or ask the clock" },
  { what: /\bperformance\.now\b/g, instead: "ask the clock; speed is measured in bench/" },
  { what: /\bprocess\.(?:hrtime|uptime)\b/g, instead: "ask the clock; speed is measured in bench/" },
  { what: new RegExp(`(?<![\\w$.])(?:globalThis\\.)?(?:${timers})\\b`, "g"), instead: "let the clock wake you" },
  { what: /\bAbortSignal\.timeout\b/g, instead: "abort when the clock wakes you" },
  { what: /\bMath\.random\b/g, instead: "take the random source as an argument" },
  { what: new RegExp(`(?<![\\w$])(?:${random})\\b`, "g"), instead: "take the random source as an argument" },
];

/** Every place that reads time or chance on its own, and every I/O of a pure package. */
export function time(files: readonly File[]): Violation[] {
  const checked = files.filter(({ path }) => isTypeScript(path) && !free.test(path) && path !== clockFile);
  return checked.flatMap((file) => [...readings(file), ...modules(file)]);
}

function readings({ path, text }: File): Violation[] {
  const code = codeOf(text);
  return sources
    .flatMap(({ what, instead }) =>
      [...code.matchAll(what)].map((match) => ({
        file: path,
        line: lineAt(text, match.index),
        rule: "time",
        message: `${match[0].replace(/\s*\($/, "()")} reads time or chance outside ${clockFile}; ${instead}`,
      })),
    )
    .sort((a, b) => a.line - b.line);
}

function modules({ path, text }: File): Violation[] {
  return importsOf(text).flatMap(({ specifier, line }) => {
    const at = { file: path, line, rule: "time" };
    if (/^(node:)?timers(\/|$)/.test(specifier)) {
      return [{ ...at, message: `${specifier} reads time outside ${clockFile}; let the clock wake you` }];
    }
    if (pure.test(path) && !isTest(path) && specifier.startsWith("node:") && specifier !== "node:crypto") {
      return [{ ...at, message: `${specifier} is I/O, and this package does none; take the value as an argument` }];
    }
    return [];
  });
}
