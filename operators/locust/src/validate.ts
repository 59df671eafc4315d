// The rules of a LocustTest that no schema can say: for the webhook, and for the controller where there is none. Pure. The
// texts name fields, objects and flags, and no value of a command line or a variable.
import type { LocustTest } from "./kinds/locust-test.ts";
import { autoquitNeedsAutostart, endpointIsThere, flagsFitTheRole } from "./rules/arguments.ts";
import { nameIsLabel, nameIsShort, wordsAreNames } from "./rules/names.ts";
import type { FieldError, Rule } from "./rules/rule.ts";
import {
  mountPathsAreAbsolute,
  mountsHaveVolumes,
  mountsLeaveReserved,
  nothingTwice,
  secretsLeaveReserved,
  volumeNamesAreFree,
  volumeNamesLeaveLibrary,
  volumeNamesLeavePrefix,
} from "./rules/volumes.ts";
import { warningsOn } from "./warnings.ts";

export type { FieldError } from "./rules/rule.ts";

/** Everything that is wrong, in the order of the rules, and everything that is odd. */
export function validate(test: LocustTest): {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
} {
  return { errors: errorsIn(test), warnings: warningsOn(test.spec) };
}

/** What keeps the controller from making anything. Without V12: the command line that is built works all the same. */
export function violations(test: LocustTest): readonly string[] {
  const errors = errorsIn(test).filter(({ rule }) => rule !== "V12");
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

function errorsIn(test: LocustTest): readonly FieldError[] {
  return rules.flatMap(([rule, broken]) => broken(test).map((it) => ({ rule, ...it })));
}

const rules: readonly (readonly [FieldError["rule"], Rule])[] = [
  ["V1", nameIsShort],
  ["V2", nameIsLabel],
  ["V3", secretsLeaveReserved],
  ["V4", volumeNamesLeavePrefix],
  ["V5", volumeNamesLeaveLibrary],
  ["V6", volumeNamesAreFree],
  ["V7", mountsLeaveReserved],
  ["V8", mountsHaveVolumes],
  ["V9", endpointIsThere],
  ["V10", nothingTwice],
  ["V11", mountPathsAreAbsolute],
  ["V12", autoquitNeedsAutostart],
  ["V13", flagsFitTheRole],
  ["V14", wordsAreNames],
];
