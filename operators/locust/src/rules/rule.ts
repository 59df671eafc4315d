// What a rule is: from a test to the fields that break it.
import { cut } from "@telltale/status";
import type { LocustTest } from "../kinds/locust-test.ts";

export interface Problem {
  /** `spec.worker.replicas` */
  readonly field: string;
  readonly message: string;
}

export interface FieldError extends Problem {
  readonly rule: `V${number}`;
}

export type Rule = (test: LocustTest) => readonly Problem[];

/** A word of the user's in a message: short, and on one line whatever it holds. */
export const quoted = (word: string): string => JSON.stringify(cut(word, 80));
