// The lines of a watch on their way through another server.
import type { Response } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

/** One line as it is sent, its end included. */
export const lineOf = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

/** One by one. */
export async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const chunk of response.chunks()) {
    rest += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.slice(0, end + 1);
      rest = rest.slice(end + 1);
    }
  }
}

/** The same answer with other lines. */
export const withLines = (response: Response, lines: () => AsyncIterable<string>): Response => ({
  ...response,
  chunks: lines,
});

export const isBookmark = (line: string): boolean => line.startsWith('{"type":"BOOKMARK"');

export const isEndOfList = (line: string): boolean =>
  isBookmark(line) && line.includes('"k8s.io/initial-events-end":"true"');

export function versionOf(line: string): number {
  const { object } = JSON.parse(line) as { object: KubeObject };
  return Number(object.metadata?.resourceVersion ?? 0);
}
