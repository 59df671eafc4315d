// I22: who is told to wait waits, and who fails again and again comes later and later.
import { type Instant, instant, type Ms } from "@telltale/kinds";
import { versionOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import type { Heard, Sent } from "../network.ts";

/** So many failures of one request in a row are too many within so long. */
const most = 8;
const within: Ms = 2000;

export const retries: Invariant = {
  id: "I22",
  what: "requests that fail are repeated later and later, and never before the server allows it",
  watch(world, say) {
    const waits = new Map<string, { readonly until: Instant; readonly for: Sent }>();
    const failures = new Map<string, Instant[]>();
    return {
      sent(sent) {
        const wait = waits.get(idOf(sent));
        const now = world.clock.now();
        if (wait === undefined) return;
        waits.delete(idOf(sent));
        if (now < wait.until && !hasNews(wait.for, sent))
          say(`${idOf(sent)} came ${wait.until - now} ms sooner than the server had asked`);
      },
      heard(sent, heard) {
        const id = idOf(sent);
        const now = world.clock.now();
        if ("retryAfter" in heard && heard.retryAfter !== undefined)
          waits.set(id, { until: instant(now + heard.retryAfter), for: sent });
        if (!isFailure(sent, heard)) {
          failures.delete(id);
          return;
        }
        const times = [...(failures.get(id) ?? []), now].slice(-most);
        failures.set(id, times);
        const [first = now] = times;
        if (times.length < most || now - first >= within) return;
        failures.delete(id);
        say(`${id} failed ${most} times within ${now - first} ms`);
      },
    };
  },
};

const idOf = ({ process, method, request: { path } }: Sent): string => `${process}: ${method} ${path}`;

/** Whether the object has changed since: then it is not the same that is asked again. */
const hasNews = ({ pass: before }: Sent, { pass: now }: Sent): boolean =>
  before !== undefined && now !== undefined && versionOf(before.object) !== versionOf(now.object);

/** That something is not there is an answer. */
function isFailure({ method }: Sent, heard: Heard): boolean {
  if (heard.as !== "answer") return true;
  return heard.status >= 400 && !(method === "GET" && heard.status === 404);
}
