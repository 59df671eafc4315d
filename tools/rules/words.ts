// What a finished repository does not say: work left for later, tests switched off, one machine's paths and hosts.
import { codeOf, type File, isTest, isTypeScript, lineAt, type Violation } from "./source.ts";

interface Word {
  readonly what: RegExp;
  readonly why: string;
}

const later: Word = { what: /\b(?:TODO|FIXME|XXX|HACK)\b/g, why: "finish it now, or write it down as an issue" };

const switchedOff: Word = {
  what: /\.(?:skip|only|todo)\b(?=\s*[.(`])/g,
  why: "a test runs or is deleted; one that needs a component uses skipIf and says so",
};

const local: readonly Word[] = [
  {
    what: /(?<![\w.-])\/(?:home\/[\w-]+|Users\/[\w-]+|root|work)\/[\w.-]+|\b[A-Z]:\\Users\\\w+/g,
    why: "a path of one machine; use a relative one, or a temporary folder",
  },
  {
    what: /"resolved": "https?:|\bregistry\s*=\s*["']?https?:|\bGOPROXY=["']?https?:|\bindex-url\s*=?\s*["']?https?:/g,
    why: "a registry of one machine; leave it to the reader's own settings",
  },
  {
    what: /\b(?:registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|artifactory\.[\w-]+|nexus\.[\w-]+)\b/g,
    why: "a registry's host; leave it to the reader's own settings",
  },
];

/** Names these words itself. */
const itself = /^tools\/rules\/words(\.test)?\.ts$/;
/** Text that nobody writes by hand: only what is local to a machine matters in it. */
const generated = /(^|\/)(package-lock\.json|go\.sum|LICENSE)$/;

/** Every such word, where it stands. */
export function words(files: readonly File[]): Violation[] {
  return files
    .filter(({ path }) => !itself.test(path))
    .flatMap((file) => [
      ...(generated.test(file.path) ? [] : search(file, file.text, later)),
      ...(isTypeScript(file.path) && isTest(file.path) ? search(file, codeOf(file.text), switchedOff) : []),
      ...local.flatMap((word) => search(file, file.text, word)),
    ]);
}

function search({ path, text }: File, within: string, { what, why }: Word): Violation[] {
  return [...within.matchAll(what)].map((match) => ({
    file: path,
    line: lineAt(text, match.index),
    rule: "words",
    message: `${match[0]}: ${why}`,
  }));
}
