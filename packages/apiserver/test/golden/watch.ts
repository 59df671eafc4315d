// An open watch of a case: its events as they come, until a step collects them.
import { at, type Json } from "../../src/json.ts";
import type { Step } from "./case.ts";
import { parse } from "./json.ts";
import { type Body, type HeaderLists, readBody, type Target, type TargetRequest } from "./target.ts";

export interface Watch {
  readonly status: number;
  readonly headers: HeaderLists;
  /** Of a request that is refused; a watch itself has no body. */
  readonly body: Body;
  collect(step: Step): Promise<{ events: Json[]; ended: boolean; elapsed: number }>;
  close(): void;
}

export async function openWatch(target: Target, request: TargetRequest, step: Step): Promise<Watch> {
  const { clock } = target;
  const closed = new AbortController();
  const answer = await target.request({ ...request, signal: closed.signal });
  const started = clock.now();
  const longest = typeof step.watch === "object" ? step.watch.for_ms : undefined;
  let events: Json[] = [];
  let last: number = clock.now();
  let ended = false;
  let rest = "";
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of answer.chunks) {
      last = clock.now();
      rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      if (answer.status !== 200) continue;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      events.push(...lines.map(parseEvent));
    }
    ended = true;
  })();
  if (answer.status !== 200) await reading;
  return {
    status: answer.status,
    headers: answer.headers,
    body: answer.status === 200 ? { as: "none" } : readBody(Buffer.from(rest), answer.headers),
    async collect(how) {
      const begin = clock.now();
      const most = how.for_ms ?? longest ?? 5000;
      const quiet = how.quiet_ms ?? 500;
      const wanted = () => events.filter((event) => how.bookmarks === true || !isPlainBookmark(event));
      const enough = () => {
        const still = clock.now() - Math.max(last, begin);
        if (how.expect !== undefined) return wanted().length >= how.expect && still >= Math.min(quiet, 150);
        return how.until_end !== true && still >= quiet;
      };
      while (clock.now() - begin < most && !ended && !enough()) await target.pass(15);
      const collected = wanted();
      events = [];
      return { events: collected, ended, elapsed: clock.now() - started };
    },
    close: () => closed.abort(),
  };
}

function parseEvent(line: string): Json {
  try {
    return parse(line);
  } catch {
    return { unparsed: line };
  }
}

/** A bookmark that does not end the initial events: when it comes is chance. */
function isPlainBookmark(event: Json): boolean {
  if (at(event, "type") !== "BOOKMARK") return false;
  const rows = at(event, "object", "rows");
  const objects = [at(event, "object"), Array.isArray(rows) ? at(rows[0], "object") : undefined];
  return !objects.some((o) => Boolean(at(o, "metadata", "annotations", "k8s.io/initial-events-end")));
}
