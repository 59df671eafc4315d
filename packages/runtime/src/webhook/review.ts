// The envelope that both kinds of review share: what it is, and which request it asks about.
import { sanitize } from "@telltale/status";
import { isObject, type JsonObject, text } from "./json.ts";

/** A body, read as far as it could be. */
export type Body =
  | { readonly at: "json"; readonly value: unknown }
  | { readonly at: "other"; readonly problem: string };

export function readBody(body: string | Uint8Array): Body {
  const read = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  if (read.trim() === "") return { at: "other", problem: "the body is empty; send a review as JSON" };
  try {
    return { at: "json", value: JSON.parse(read) };
  } catch (error) {
    const why = sanitize(error, { max: 256, firstLineOnly: true });
    return { at: "other", problem: `the body is no JSON (${why}); send a review` };
  }
}

export interface Opened {
  /** Empty where the review has none: an answer goes out all the same. */
  readonly uid: string;
  readonly request?: JsonObject;
  /** What is wrong with it, where there is no request to answer. */
  readonly problem: string;
}

export function openReview(body: Body, wanted: { readonly apiVersion: string; readonly kind: string }): Opened {
  if (body.at === "other") return { uid: "", problem: body.problem };
  const review = body.value;
  const shown = `${wanted.apiVersion} ${wanted.kind}`;
  if (!isObject(review)) return { uid: "", problem: `the body is no ${shown}, but ${nameOf(review)}` };
  const request = isObject(review["request"]) ? review["request"] : undefined;
  const uid = text(request?.["uid"]);
  const got = `${text(review["apiVersion"]) || "no apiVersion"} ${text(review["kind"]) || "without a kind"}`;
  if (got !== shown) {
    return { uid, problem: `the body is ${got}, and ${shown} is understood here; correct the review versions` };
  }
  if (request === undefined) return { uid, problem: "request is missing in the review" };
  if (uid === "")
    return { uid, problem: "request.uid is missing in the review, so that no answer can be told from another" };
  return { uid, request, problem: "" };
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
