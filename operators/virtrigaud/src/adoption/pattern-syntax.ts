// Reads a pattern into a tree. What cannot be matched in linear time, look-around and references to groups, is refused.

export type Tree =
  | { readonly is: "one"; readonly of: (code: number) => boolean } // one character
  | { readonly is: "edge"; readonly at: (before: number | undefined, after: number | undefined) => boolean }
  | { readonly is: "all"; readonly of: readonly Tree[] } // one after the other
  | { readonly is: "any"; readonly of: readonly Tree[] } // one of them
  | { readonly is: "repeat"; readonly of: Tree; readonly least: number; readonly most: number };

export function parsePattern(source: string): { readonly tree: Tree } | { readonly problem: string } {
  const reader = new Reader(source);
  try {
    return { tree: reader.whole() };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

class Problem extends Error {}

type Test = (code: number) => boolean;

class Reader {
  readonly #text: readonly string[];
  #at = 0;
  #anyCase = false;

  constructor(source: string) {
    this.#text = [...source];
  }

  whole(): Tree {
    if (this.#takes("(?i)")) this.#anyCase = true;
    const tree = this.#choice();
    if (this.#at < this.#text.length) throw new Problem("a ) has no (");
    return tree;
  }

  #choice(): Tree {
    const of = [this.#sequence()];
    while (this.#takes("|")) of.push(this.#sequence());
    return { is: "any", of };
  }

  #sequence(): Tree {
    const of: Tree[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      of.push(this.#repeated(this.#atom()));
    }
    return { is: "all", of };
  }

  #repeated(of: Tree): Tree {
    const count = this.#count();
    if (count === undefined) return of;
    if (of.is === "edge") throw new Problem("what repeats is an edge");
    this.#takes("?"); // as few as possible: whether it matches is the same
    if (this.#count() !== undefined) throw new Problem("a repetition is repeated");
    return { is: "repeat", of, ...count };
  }

  #count(): { readonly least: number; readonly most: number } | undefined {
    if (this.#takes("*")) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes("+")) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#takes("?")) return { least: 0, most: 1 };
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.#text.slice(this.#at, this.#at + 12).join(""));
    if (found === null) return undefined;
    const least = Number(found[1]);
    const most = found[2] === undefined ? least : found[3] === "" ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (most < least) throw new Problem("a count goes backwards");
    this.#at += found[0].length;
    return { least, most };
  }

  #atom(): Tree {
    const next = this.#take();
    if (next === "^") return { is: "edge", at: (before) => before === undefined };
    if (next === "$") return { is: "edge", at: (_before, after) => after === undefined };
    if (next === ".") return { is: "one", of: (code) => code !== newline };
    if (next === "[") return this.#one(this.#set());
    if (next === "(") return this.#group();
    if (next === "\\") return this.#escape();
    if (next === "*" || next === "+" || next === "?") throw new Problem(`nothing is before ${next}`);
    return this.#one(exactly(codeOf(next)));
  }

  #group(): Tree {
    if (this.#takes("?") && !this.#takes(":") && !this.#named()) {
      throw new Problem("only (, (?: and a name for a group are known, and (?i) at the start");
    }
    const tree = this.#choice();
    if (!this.#takes(")")) throw new Problem("a ( has no )");
    return tree;
  }

  #named(): boolean {
    const found = /^P?<[A-Za-z_]\w{0,31}>/.exec(this.#text.slice(this.#at, this.#at + 40).join(""));
    this.#at += found?.[0].length ?? 0;
    return found !== null;
  }

  #escape(): Tree {
    const next = this.#take();
    if (next === "b") return { is: "edge", at: (before, after) => isWord(before) !== isWord(after) };
    if (next === "B") return { is: "edge", at: (before, after) => isWord(before) === isWord(after) };
    if (next === "A") return { is: "edge", at: (before) => before === undefined };
    if (next === "z") return { is: "edge", at: (_before, after) => after === undefined };
    return this.#one(classes[next] ?? exactly(this.#escaped(next)));
  }

  /** The one character that an escape stands for. */
  #escaped(next: string): number {
    const control = controls[next];
    if (control !== undefined) return control;
    if (next === "x") {
      const found = /^(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(
        this.#text.slice(this.#at, this.#at + 8).join(""),
      );
      if (found === null) throw new Problem("\\x has no number");
      this.#at += found[0].length;
      return Number.parseInt(found[1] ?? found[2] ?? "0", 16);
    }
    if (/[A-Za-z0-9]/.test(next)) throw new Problem(`\\${next} is not known`);
    return codeOf(next);
  }

  #set(): Test {
    const isNot = this.#takes("^");
    const tests: Test[] = [];
    for (let isFirst = true; isFirst || this.#peek() !== "]"; isFirst = false) tests.push(this.#range());
    this.#take();
    const within = this.#cased((code) => tests.some((test) => test(code)));
    return isNot ? (code) => !within(code) : within;
  }

  #range(): Test {
    const from = this.#member();
    if (typeof from === "function") return from;
    if (this.#peek() !== "-" || this.#text[this.#at + 1] === "]") return exactly(from);
    this.#take();
    const to = this.#member();
    if (typeof to === "function" || to < from) throw new Problem("a range in [ ] goes backwards");
    return (code) => code >= from && code <= to;
  }

  #member(): number | Test {
    const next = this.#take();
    if (next !== "\\") return codeOf(next);
    const escaped = this.#take();
    return classes[escaped] ?? this.#escaped(escaped);
  }

  #one(test: Test): Tree {
    return { is: "one", of: this.#cased(test) };
  }

  #cased(test: Test): Test {
    if (!this.#anyCase) return test;
    return (code) => test(code) || others(code).some(test);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #take(): string {
    const next = this.#text[this.#at];
    if (next === undefined) throw new Problem("it ends too early");
    this.#at += 1;
    return next;
  }

  #takes(wanted: string): boolean {
    const is = this.#text.slice(this.#at, this.#at + wanted.length).join("") === wanted;
    if (is) this.#at += wanted.length;
    return is;
  }
}

const newline = 10;
const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const exactly =
  (wanted: number): Test =>
  (code) =>
    code === wanted;

/** The same letter in the other case. */
const others = (code: number): readonly number[] => {
  const letter = String.fromCodePoint(code);
  return [letter.toLowerCase(), letter.toUpperCase()].filter((it) => [...it].length === 1).map(codeOf);
};

const isDigit: Test = (code) => code >= 48 && code <= 57;
const isLetter: Test = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const isWord = (code: number | undefined): boolean =>
  code !== undefined && (isDigit(code) || isLetter(code) || code === 95);
const isSpace: Test = (code) => [9, 10, 12, 13, 32].includes(code);

const classes: Readonly<Record<string, Test | undefined>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
};

const controls: Readonly<Record<string, number | undefined>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
