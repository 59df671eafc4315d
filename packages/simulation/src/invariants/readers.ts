// I27, I28: what others read off an object: nobody takes it for done while it is not, and its status stays of a size.
import { ApiError, isConflict, type Status } from "@telltale/client";
import { kstatus } from "@telltale/status";
import { kindOf, nameOf, statusOf } from "../facts.ts";
import type { Invariant } from "../invariant.ts";
import type { Sent } from "../network.ts";
import type { Pass } from "../pass.ts";
import { invariantOf } from "../rules.ts";
import { findings } from "./statuses.ts";

export const readers: readonly Invariant[] = [
  {
    id: "I27",
    what: "nobody who reads an object by kstatus takes it for current while work for its generation is left",
    watch(world, say) {
      const { kinds } = world.scenario;
      /** Passes that have said that it is done. */
      const done = new WeakSet<Pass>();
      /** What was sent when it was done already. What is held up for longer than anybody waits for it cannot be called back. */
      const late = new WeakSet<Sent>();
      return {
        sent(sent) {
          if (sent.pass !== undefined && done.has(sent.pass)) late.add(sent);
        },
        change({ type, after, at }) {
          if (type === "DELETED" || kindOf(kinds, after) === undefined) return;
          const observed = statusOf(after)["observedGeneration"];
          if (observed === after.metadata?.generation || kstatus(after, at).status !== "Current") return;
          say(`${nameOf(after)} counts as current, and has been observed up to generation ${observed ?? "none"} only`);
        },
        applied(sent, changes) {
          const { pass, process, target } = sent;
          const uid = pass?.object.metadata?.uid;
          if (pass === undefined || uid === undefined) return;
          for (const { after, at, type } of changes) {
            const isChild = after.metadata?.ownerReferences?.some((it) => it.uid === uid) === true;
            if (isChild && late.has(sent))
              say(`${process} changed ${nameOf(after)} after it had said that all is done`);
            const isOwn = after.metadata?.uid === uid && target.subresource === "status" && type !== "DELETED";
            if (isOwn && kstatus(after, at).status === "Current") done.add(pass);
          }
        },
      };
    },
  },
  {
    id: "I28",
    what: "a status is within its size, and never refused for what it says",
    watch(world, say) {
      return {
        change(change) {
          const { after, author, type, sent } = change;
          for (const { rule, at, problem } of findings(world, change)) {
            if (invariantOf(rule) === "I28") say(`${change.key} ${at}: ${problem} (rule ${rule})`);
          }
          const kind = kindOf(world.scenario.kinds, after);
          if (kind === undefined || author === undefined || type === "DELETED") return;
          if (sent?.target.subresource !== "status") return;
          const size = Buffer.byteLength(JSON.stringify(statusOf(after)));
          if (size > kind.maxStatusBytes)
            say(`${nameOf(after)} has a status of ${size} bytes; ${kind.maxStatusBytes} is the most`);
        },
        applied({ target, write, process }, _changes, status, answer) {
          if (write === undefined || target.subresource !== "status" || status < 400) return;
          const isTooLarge = status === 413;
          const isInvalid = status === 422 && !isConflict(new ApiError("", { ...parsed(answer), code: status }));
          if (isTooLarge || isInvalid) say(`${process}: the server refuses the status of ${target.name}: ${answer}`);
        },
      };
    },
  },
];

function parsed(answer: string | undefined): Status | undefined {
  try {
    return JSON.parse(answer ?? "") as Status;
  } catch {
    return undefined;
  }
}
