// Who may ask, transfer or listen: the entries of an address match list, and names of lists. They stand in named.conf as they
// are, so anything that is not exactly one of these forms is refused (12.2).
import { text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import { keyNameOf } from "../bindcar/dns-name.ts";
import { each, type Problem, unless, wrong } from "./problem.ts";

const words = ["any", "none", "localhost", "localnets"];
const forms =
  "is none of any, none, localhost, localnets, an address, an address with a prefix, or key and a name, with or without ! before it";

export function* aclProblems(path: string, entries: readonly string[] | undefined): Iterable<Problem> {
  yield* unless((entries ?? []).length <= 256, path, text`has more than 256 entries`);
  yield* each(path, entries, entryProblems);
}

function* entryProblems(entry: string, path: string): Iterable<Problem> {
  if (Buffer.byteLength(entry) > 256) return yield wrong(path, text`is longer than 256 bytes`);
  const plain = entry.replace(/^! ?/, "");
  if (words.includes(plain)) return;
  if (plain.startsWith("key ")) {
    return yield* unless(keyNameOf(plain.slice("key ".length)) !== undefined, path, text`does not name a key`);
  }
  const [, address = "", prefix] = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9][0-9]{0,2}))?$/.exec(plain) ?? [];
  const bits = bitsOf(address);
  if (bits === undefined) return yield wrong(path, text`${forms}`);
  if (prefix === undefined) return;
  yield* unless(Number(prefix) <= bits.length, path, text`has a prefix of more than ${bits.length} bits`);
  // named does not start where they are set.
  yield* unless(!bits.slice(Number(prefix)).includes("1"), path, text`has an address with more bits than its prefix`);
}

/** Names of lists of a person's own. */
export function* aclNameProblems(path: string, names: readonly string[]): Iterable<Problem> {
  for (const name of names) {
    const isName = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name);
    yield* unless(isName, path, text`has a name that is not a letter and up to 62 letters, digits, '-' and '_'`);
    yield* unless(!words.includes(name), path, text`has a name that named has built in: ${words.join(", ")}`);
  }
}

/** The bits of an address, as a text of 0 and 1. */
function bitsOf(text: string): string | undefined {
  const address = addressOf(text);
  if (address === undefined) return undefined;
  return address.family === 4
    ? text
        .split(".")
        .map((octet) => Number(octet).toString(2).padStart(8, "0"))
        .join("")
    : groupsOf(address.text)
        .map((group) => group.toString(2).padStart(16, "0"))
        .join("");
}

/** Of an address in the form that `addressOf` writes. */
function groupsOf(printed: string): readonly number[] {
  const hex = printed.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [a * 256 + Number(b), c * 256 + Number(d)].map((group) => group.toString(16)).join(":"),
  );
  const [left = "", right] = hex.split("::");
  const numbers = (half: string) => (half === "" ? [] : half.split(":").map((word) => Number.parseInt(word, 16)));
  const [before, after] = [numbers(left), numbers(right ?? "")];
  return right === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}
