// From a result to an answer: media type, headers, warnings.
import type { Negotiated } from "../decode/media.ts";
import { type JsonObject, stringify } from "../json.ts";
import type { ApiResponse } from "../request.ts";
import type { StatusError } from "../status.ts";

/** Texts that go beside an answer. The same one once; when they are too many they are cut. */
export class Warnings {
  readonly #texts = new Set<string>();

  readonly add = (text: string): void => {
    this.#texts.add(text);
  };

  headers(): Record<string, string[]> {
    if (this.#texts.size === 0) return {};
    const all = [...this.#texts];
    const long = all.reduce((n, t) => n + [...t].length, 0) > 4096;
    return {
      warning: all.map((t) => `299 - "${quotable(long ? [...t].slice(0, 256).join("") : t)}"`),
    };
  }
}

/** A header value holds no line breaks, and quotes and backslashes are escaped. */
function quotable(text: string): string {
  return (
    text
      .replace(/[\\"]/g, "\\$&")
      .replace(/\r?\n/g, " ")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a header cannot carry
      .replace(/[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/g, (c) =>
        (c.codePointAt(0) ?? 0) > 0xff ? Buffer.from(c).toString("latin1") : "",
      )
  );
}

export function respond(
  status: number,
  body: string,
  contentType: string,
  more: Record<string, string | string[]> = {},
): ApiResponse {
  return { status, headers: { "cache-control": "no-cache, private", "content-type": contentType, ...more }, body };
}

export async function respondObject(
  status: number,
  object: JsonObject,
  negotiated: Pick<Negotiated, "mediaType" | "pretty">,
  warnings: Warnings,
): Promise<ApiResponse> {
  return respondJson(status, stringify(object, negotiated.pretty ? "  " : undefined), negotiated, warnings, object);
}

/** Like `respondObject`, for JSON that is there already. */
export async function respondJson(
  status: number,
  json: string,
  negotiated: Pick<Negotiated, "mediaType" | "pretty">,
  warnings: Warnings,
  object?: JsonObject,
): Promise<ApiResponse> {
  if (negotiated.mediaType === "application/yaml") {
    const { stringify: toYaml } = await import("yaml");
    return respond(
      status,
      toYaml(object ?? JSON.parse(json), { aliasDuplicateObjects: false, lineWidth: 0 }),
      "application/yaml",
      warnings.headers(),
    );
  }
  return respond(status, json, "application/json", warnings.headers());
}

/** A failure, in the form that the client reads. */
export async function respondStatus(
  error: StatusError,
  asked: Pick<Negotiated, "mediaType" | "pretty">,
  warnings: Warnings,
): Promise<ApiResponse> {
  const answer = await respondObject(error.code, error.body(), asked, warnings);
  const retry = error.details?.retryAfterSeconds;
  if (retry !== undefined) answer.headers["retry-after"] = String(retry);
  return answer;
}

export const notFoundPage = (): ApiResponse =>
  respond(404, "404 page not found\n", "text/plain; charset=utf-8", { "x-content-type-options": "nosniff" });
