// A watch on its way to a process: line by line, each as late, as often and as whole as the faults let it come.
import type { Response } from "@telltale/client";
import type { Ms } from "@telltale/kinds";
import type { LineVerdict } from "./network.ts";
import { expired } from "./response.ts";
import { isBookmark, linesOf } from "./servers/lines.ts";
import { eventText, lineText } from "./words.ts";

export interface Way {
  /** What becomes of a line. */
  judge(line: string): LineVerdict | undefined;
  wait(by: Ms): Promise<void>;
  latency(): Ms;
  /** Resolves once the process runs. */
  arrived(): Promise<void>;
  /** Raised when nobody reads any more. */
  readonly left: AbortSignal;
  /** Something goes wrong, or went wrong until now. */
  disturbed(what?: () => string): void;
  seen(what: () => string): void;
}

export async function* linesTo(way: Way, response: Response): AsyncGenerator<string, void, undefined> {
  const { left } = way;
  for await (const text of linesOf(response)) {
    const verdict = way.judge(text);
    if (verdict !== undefined) way.disturbed(() => lineText(text, verdict));
    // A bookmark brings nothing that would be worth a wait.
    if (!isBookmark(text)) await way.wait(way.latency() + heldFor(verdict));
    if (left.aborted) return;
    await way.arrived();
    if (verdict !== undefined) way.disturbed();
    if (verdict?.do === "drop") continue;
    if (verdict?.do === "stall") {
      await ended(left);
      way.disturbed();
      return;
    }
    if (verdict?.do === "cut") {
      if (verdict.inside === true) yield text.slice(0, Math.floor(text.length / 2));
      return;
    }
    const line = verdict?.do === "expire" ? `${expired}\n` : text;
    if (!isBookmark(line)) way.seen(() => eventText(line));
    yield line;
    if (verdict?.do === "expire") return;
    if (verdict?.do === "twice") yield line;
  }
}

function heldFor(verdict: LineVerdict | undefined): Ms {
  if (verdict?.do === "delay") return verdict.by;
  return verdict?.do === "expire" ? (verdict.after ?? 0) : 0;
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
