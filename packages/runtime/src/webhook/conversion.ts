// One ConversionReview: every object in the version that is asked for, in order, or one reason why not. No I/O.
import { convert, type Kind, type VersionedObject } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import type { Log } from "../log.ts";
import type { Answer } from "./answer.ts";
import { isObject, type Json, type JsonObject, text } from "./json.ts";
import { splitVersion, versionOf } from "./request.ts";
import { type Body, openReview } from "./review.ts";

export const conversionReview = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" } as const;

export function convertAll(kinds: readonly Kind[], body: Body, log: Log): Answer {
  const { uid, request, problem } = openReview(body, conversionReview);
  if (request === undefined) return failed(uid, problem, 400);
  const { desiredAPIVersion, objects } = request;
  if (!Array.isArray(objects)) return failed(uid, "request.objects is missing in the review", 400);
  const convertedObjects: Json[] = [];
  for (const [index, object] of objects.entries()) {
    try {
      convertedObjects.push(convertOne(kinds, object, text(desiredAPIVersion)));
    } catch (error) {
      const which = nameOf(object, index);
      const why = sanitize(error, { max: 1024, firstLineOnly: true });
      log.error("an object could not be converted", { object: which, to: text(desiredAPIVersion), error: why });
      return failed(uid, `${which}: ${why}`, 500);
    }
  }
  return answered(200, { uid, result: { status: "Success" }, convertedObjects });
}

function convertOne(kinds: readonly Kind[], object: Json, desired: string): Json {
  if (!isObject(object) || !isObject(object["metadata"])) throw new TypeError("it is no object with metadata");
  const from = versionOf(object);
  const kind = kinds.find((one) => one.group === from.group && one.kind === object["kind"]);
  if (kind === undefined) {
    const known = kinds.map((one) => `${one.kind} of ${one.group}`).join(", ");
    throw new RangeError(`nothing converts ${text(object["kind"])} of ${from.group}; known are ${known}`);
  }
  const to = splitVersion(desired);
  if (to.group !== kind.group) throw new RangeError(`"${desired}" is no version of ${kind.group}`);
  return convert(kind, object as unknown as VersionedObject, to.version) as unknown as Json;
}

/** `Widget web/a`, as far as it can be said. */
function nameOf(object: Json, index: number): string {
  if (!isObject(object)) return `object ${index}`;
  const { name, namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
  const where = text(namespace) === "" ? "" : `${text(namespace)}/`;
  return `${text(object["kind"]) || "object"} ${where}${text(name) || String(index)}`;
}

const failed = (uid: string, message: string, code: number): Answer =>
  answered(code, { uid, result: { status: "Failure", message } });

const answered = (code: number, response: JsonObject): Answer => ({
  status: 200,
  body: { ...conversionReview, response },
  code,
});
