// I22: who is told to wait waits, and who fails again and again comes later and later.
import { type Instant, instant, type Ms } from "@telltale/kinds";
import { nameOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import type { Heard, Sent } from "../network.ts";
import type { Pass } from "../pass.ts";
import type { Process } from "../process.ts";
import type { World } from "../world.ts";

/** So many failures of one request in a row are too many within so long: some conflicts, and pauses that grow, are fewer. */
const most = 12;
const within: Ms = 2000;

export const retries: Invariant = {
  id: "I22",
  what: "requests that fail are repeated later and later, and never before the server allows it",
  watch(world, say) {
    const waits = new Map<string, { readonly until: Instant; readonly for: Sent }>();
    const failures = new Map<string, { readonly times: readonly Instant[]; readonly last: Sent }>();
    /** Passes that a fault asks for come when it wants. */
    const isDriven = world.plan.faults.some(({ p }) => p === "P6");
    /** How much each process, and each pass as it began, had heard of. */
    const heardOf = new Map<Process, number>();
    const knew = new WeakMap<Pass, number>();
    /** Who has heard of something new since does not ask the same again. */
    const hasNews = ({ pass: before }: Sent, { pass: now }: Sent) =>
      before !== undefined && now !== undefined && knew.get(before) !== knew.get(now);
    const hear = (process: Process) => heardOf.set(process, (heardOf.get(process) ?? 0) + 1);
    return {
      started(process) {
        for (const { store } of process.manager.cache.held()) store.subscribe(() => hear(process));
      },
      pass: (pass) => void knew.set(pass, heardOf.get(pass.process) ?? 0),
      sent(sent) {
        const id = idOf(sent);
        const wait = waits.get(id);
        const now = world.clock.now();
        if (wait === undefined || isOfMany(sent, world)) return;
        waits.delete(id);
        if (now < wait.until && !isDriven && !hasNews(wait.for, sent))
          say(`${nameOfRequest(sent)} came ${wait.until - now} ms sooner than the server had asked`);
      },
      heard(sent, heard) {
        const id = idOf(sent);
        const now = world.clock.now();
        // A lease is renewed in time, or lost.
        if ("retryAfter" in heard && heard.retryAfter !== undefined && sent.target.resource !== "leases")
          waits.set(id, { until: instant(now + heard.retryAfter), for: sent });
        if (!isFailure(sent, heard)) {
          failures.delete(id);
          // Who gets on with something else that is not in its cache, such as a run, has news as well.
          if (sent.write !== undefined && sent.pass !== undefined) hear(sent.pass.process);
          return;
        }
        const before = failures.get(id);
        const isSame = before !== undefined && !hasNews(before.last, sent);
        const times = [...(isSame ? before.times : []), now].slice(-most);
        failures.set(id, { times, last: sent });
        const [first = now] = times;
        if (times.length < most || now - first >= within || isDriven) return;
        failures.delete(id);
        say(`${nameOfRequest(sent)} failed ${most} times within ${now - first} ms`);
      },
    };
  },
};

/** Two controllers of one process that write to one object know nothing of each other's trouble, nor do passes over two objects. */
const nameOfRequest = ({ process, method, request: { path }, pass }: Sent): string =>
  `${process}${pass === undefined ? "" : `, ${pass.controller.name} over ${nameOf(pass.object)}`}: ${method} ${path}`;

/** What is made has its name in the body: a pass may make several at once. */
const idOf = (sent: Sent): string =>
  sent.method === "POST" ? `${nameOfRequest(sent)} ${sent.request.body}` : nameOfRequest(sent);

/** So are two caches of one kind, of which one holds metadata only: what they ask cannot be told apart. */
const isOfMany = ({ process, target, pass }: Sent, { processes }: World): boolean => {
  const held = processes.find(({ name }) => name === process)?.manager.cache.held() ?? [];
  return pass === undefined && held.filter(({ kind }) => kind.plural === target.resource).length > 1;
};

/** That something is not there is an answer. */
function isFailure({ method }: Sent, heard: Heard): boolean {
  if (heard.as !== "answer") return true;
  return heard.status >= 400 && !(method === "GET" && heard.status === 404);
}
