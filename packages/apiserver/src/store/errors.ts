// How the store refuses: what was asked for is gone, has changed, or can no longer be written down.

/** The revision asked for is older than what the store keeps. */
export class Expired extends Error {
  readonly code = "Expired";
  readonly revision: number;
  readonly compacted: number;

  constructor(revision: number, compacted: number) {
    super(`revision ${revision} has been compacted: the oldest that can be read is ${compacted}`);
    this.name = "Expired";
    this.revision = revision;
    this.compacted = compacted;
  }
}

/** What a write expects to find: a revision, nothing, or (a deletion) anything at all. */
export type Expectation = number | "absent" | "present";

/** The key is not as the writer expects: read it again and decide anew. */
export class RevisionMismatch extends Error {
  readonly code = "RevisionMismatch";
  readonly key: string;
  readonly expected: Expectation;
  /** The revision that the key has, or undefined when it is absent. */
  readonly actual: number | undefined;

  constructor(key: string, expected: Expectation, actual: number | undefined) {
    super(`${key} is ${actual === undefined ? "absent" : `at revision ${actual}`}, not ${shownExpectation(expected)}`);
    this.name = "RevisionMismatch";
    this.key = key;
    this.expected = expected;
    this.actual = actual;
  }
}

/** The store takes no writes: its disk has failed, or it is closed. What was acknowledged before is not affected. */
export class StoreFailed extends Error {
  readonly code = "StoreFailed";

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreFailed";
  }
}

/** What a user can do about a folder that cannot be opened: end the process that has it, repair it, or bring a copy back. */
export type StoreRemedy = "stop" | "repair" | "copy";

/** The folder cannot be opened: another process has it, or its files do not make a store. Nothing was changed in it. */
export class StoreUnusable extends Error {
  readonly code = "StoreUnusable";
  readonly remedy: StoreRemedy;
  /** What is wrong, without the way out. */
  readonly problem: string;

  constructor(problem: string, remedy: StoreRemedy) {
    super(`${problem}; ${remedies[remedy]}`);
    this.name = "StoreUnusable";
    this.remedy = remedy;
    this.problem = problem;
  }
}

const remedies: Readonly<Record<StoreRemedy, string>> = {
  stop: "stop it first, or use another folder",
  copy: "restore the folder from a copy",
  repair:
    "nothing was changed: restore the folder from a copy, or repair it, which keeps the damaged files beside the new ones and goes on without what is lost",
};

function shownExpectation(expected: Expectation): string {
  return typeof expected === "number" ? `at revision ${expected}` : expected;
}
