// Labels that people give to instances: theirs, and never those that the operator finds its own objects by (12.2).
import { isQualifiedName } from "@telltale/kinds";
import { text } from "@telltale/status";
import { reservedLabelPrefixes } from "../names.ts";
import { type Problem, unless } from "./problem.ts";

type Words = Readonly<Record<string, string>>;

export function* labelProblems(path: string, labels: Words | undefined): Iterable<Problem> {
  for (const [key, value] of Object.entries(labels ?? {})) {
    const isFree = !reservedLabelPrefixes.some((prefix) => key.startsWith(prefix));
    yield* unless(isFree, path, text`has a key that begins with ${reservedLabelPrefixes.join(" or ")}`);
    yield* unless(isQualifiedName(key), path, text`has a key that is no key of a label`);
    const isValue = value === "" || (!value.includes("/") && isQualifiedName(value));
    yield* unless(isValue, path, text`has a value that is no value of a label`);
  }
}

export function* annotationProblems(path: string, annotations: Words | undefined): Iterable<Problem> {
  for (const key of Object.keys(annotations ?? {})) {
    yield* unless(isQualifiedName(key.toLowerCase()), path, text`has a key that is no key of an annotation`);
  }
}
