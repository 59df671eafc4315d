// A server that has heard of nothing after a revision, until it catches up: one of several in front of the same store. What
// it writes and each single object it asks the store for, so that these are up to date; lists and watches show the past.
import { type Request, type Response, unlessAborted } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import type { Server } from "../network.ts";
import { targetOf } from "../target.ts";
import { lineOf, linesOf, versionOf, withLines } from "./lines.ts";
import { asking, queryOf } from "./query.ts";

export function past(server: Server, revision: number, caughtUp: Promise<void>): Server {
  return async (request) => {
    const target = targetOf(request.path);
    if (request.method !== "GET" || target.name !== undefined) return server(request);
    const query = queryOf(request);
    if (!target.isWatch) return query.has("continue") ? server(request) : server(then(request, revision));
    const from = query.get("resourceVersion") ?? "";
    const isFromStart = from === "" || from === "0" || query.get("sendInitialEvents") === "true";
    return isFromStart
      ? fromStart(server, request, revision, caughtUp)
      : goingOn(server, request, Number(from), revision, caughtUp);
  };
}

const then = (request: Request, revision: number): Request =>
  asking(request, { resourceVersion: String(revision), resourceVersionMatch: "Exact" });

/** What was there then, and once it has caught up everything that came after. */
async function fromStart(
  server: Server,
  request: Request,
  revision: number,
  caughtUp: Promise<void>,
): Promise<Response> {
  const isList = { watch: undefined, sendInitialEvents: undefined, allowWatchBookmarks: undefined };
  const listed = await server(then(asking({ ...request, stream: false }, isList), revision));
  if (listed.status >= 300) return listed;
  const list = JSON.parse(await listed.text()) as { apiVersion: string; kind: string; items: readonly KubeObject[] };
  const { apiVersion } = list;
  const kind = list.kind.replace(/List$/, "");
  return withLines(listed, async function* () {
    for (const item of list.items) yield lineOf("ADDED", { apiVersion, kind, ...item });
    const annotations = { "k8s.io/initial-events-end": "true" };
    yield lineOf("BOOKMARK", { apiVersion, kind, metadata: { resourceVersion: String(revision), annotations } });
    if (!(await isCaughtUp(caughtUp, request))) return;
    const asked = { resourceVersion: String(revision), sendInitialEvents: undefined, resourceVersionMatch: undefined };
    yield* linesOf(await server(asking(request, asked)));
  });
}

/** Everything from a version on; what this server has not heard of yet comes when it has caught up. */
async function goingOn(
  server: Server,
  request: Request,
  from: number,
  revision: number,
  caughtUp: Promise<void>,
): Promise<Response> {
  const response = await server(request);
  if (response.status >= 300) return response;
  return withLines(response, async function* () {
    if (from > revision && !(await isCaughtUp(caughtUp, request))) return;
    for await (const line of linesOf(response)) {
      if (versionOf(line) > revision && !(await isCaughtUp(caughtUp, request))) return;
      yield line;
    }
  });
}

/** False where nobody listens any more. */
async function isCaughtUp(caughtUp: Promise<void>, { signal }: Request): Promise<boolean> {
  if (signal === undefined) return caughtUp.then(() => true);
  return unlessAborted(caughtUp, signal).then(
    () => true,
    () => false,
  );
}
