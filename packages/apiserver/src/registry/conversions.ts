// Conversion for code that cannot wait. A webhook answers later, so what is asked for and not there yet is fetched, and the code is
// run again from the start: it is pure, and asks the same questions.
import { canonicalJson } from "@telltale/kinds";
import type { JsonObject } from "../json.ts";
import type { Resource } from "./resource.ts";

export type ConvertNow = (object: JsonObject, apiVersion: string) => JsonObject | undefined;

export async function converting<T>(r: Resource, run: (convert: ConvertNow | undefined) => T): Promise<T> {
  const { fetchAs } = r;
  if (fetchAs === undefined) return run(r.convertTo);
  const known = new Map<string, JsonObject>();
  const convert: ConvertNow = (object, apiVersion) => {
    const question = new Question(object, apiVersion);
    const answer = known.get(question.key);
    if (answer === undefined) throw question;
    return answer;
  };
  for (;;) {
    try {
      return run(convert);
    } catch (asked) {
      if (!(asked instanceof Question)) throw asked;
      known.set(asked.key, await fetchAs(asked.object, asked.apiVersion));
    }
  }
}

/** Thrown through the code that asks. */
class Question extends Error {
  readonly key: string;
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(object: JsonObject, apiVersion: string) {
    super(`needs a conversion to ${apiVersion}`);
    this.key = `${apiVersion} ${canonicalJson(object)}`;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}
