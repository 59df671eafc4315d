// Custom resources between versions by their webhook: what is asked and what counts as an answer is in crd/convert.ts.
import { type Random, uuid } from "@telltale/clock";
import { checkConversionResponse, conversionCallFailed, conversionRequest, conversionReview } from "../crd/convert.ts";
import type { JsonObject } from "../json.ts";
import { CallFailed, type WebhookCall } from "./webhook-call.ts";

/** Objects in another version, in the same order; those that are there already stay as they are. */
export type Convert = (objects: readonly JsonObject[], apiVersion: string, list?: boolean) => Promise<JsonObject[]>;

const seconds = 30;

/** Conversion by the webhook of one definition. Throws the StatusError that the client gets. */
export function webhookConversion(
  { call, random }: { readonly call: WebhookCall; readonly random: Random },
  clientConfig: JsonObject,
): Convert {
  return async (objects, apiVersion, list) => {
    const request = conversionRequest(objects, apiVersion, uuid(random), list);
    if (request.objects.length === 0) return [...objects];
    const response = await call(clientConfig, conversionReview(request), seconds).catch((error: unknown) => {
      if (error instanceof CallFailed) throw conversionCallFailed(request, error.message);
      throw error;
    });
    const converted = checkConversionResponse(request, response).values();
    return objects.map((object) => (object["apiVersion"] === apiVersion ? object : (converted.next().value ?? object)));
  };
}
