// Servers that can do less than the present one, or do it differently: older ones, and those behind something that
// re-arranges.
import type { Server } from "../network.ts";
import { refusal, whole } from "../response.ts";
import { targetOf } from "../target.ts";
import { isBookmark, isEndOfList, linesOf, withLines } from "./lines.ts";
import { asking, queryOf } from "./query.ts";

/** It knows of streamed lists, and has them switched off. */
export const withoutStreamedLists =
  (server: Server): Server =>
  async (request) =>
    queryOf(request).get("sendInitialEvents") === "true"
      ? refusal({
          status: 422,
          details: {
            causes: [
              {
                reason: "FieldValueForbidden",
                message: "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
                field: "sendInitialEvents",
              },
            ],
          },
        })
      : server(request);

/** It has never heard of streamed lists: what it does not know in a query it overlooks. */
export const ignoringStreamedLists =
  (server: Server): Server =>
  async (request) => {
    if (!queryOf(request).has("sendInitialEvents")) return server(request);
    const response = await server(asking(request, { sendInitialEvents: undefined, resourceVersionMatch: undefined }));
    // A present server says where the list ends, whether it was asked or not.
    return withLines(response, async function* () {
      for await (const line of linesOf(response)) if (!isEndOfList(line)) yield line;
    });
  };

/** It sends no bookmarks but the one that ends a list. */
export const withoutBookmarks =
  (server: Server): Server =>
  async (request) => {
    const response = await server(request);
    if (!targetOf(request.path).isWatch) return response;
    return withLines(response, async function* () {
      for await (const line of linesOf(response)) if (!isBookmark(line) || isEndOfList(line)) yield line;
    });
  };

/** Its pages are short, whatever the client asks for. */
export const inShortPages =
  (server: Server, limit: number): Server =>
  (request) =>
    server(queryOf(request).has("limit") ? asking(request, { limit: String(limit) }) : request);

/** The last comes first in all of its lists. */
export const backwards =
  (server: Server): Server =>
  async (request) => {
    const { isWatch, name } = targetOf(request.path);
    const response = await server(request);
    if (request.method !== "GET" || name !== undefined || response.status >= 300) return response;
    if (!isWatch) {
      const list = JSON.parse(await response.text()) as { items?: unknown[] };
      return whole(response, JSON.stringify({ ...list, items: list.items?.reverse() }));
    }
    if (queryOf(request).get("sendInitialEvents") !== "true") return response;
    return withLines(response, async function* () {
      const first: string[] = [];
      let isList = true;
      for await (const line of linesOf(response)) {
        if (isList && !isEndOfList(line)) first.push(line);
        else {
          if (isList) yield* first.reverse();
          isList = false;
          yield line;
        }
      }
    });
  };
