// I11, I12, I16: what is written is worth it, no more often than needed, and to the very object that was read.

import { bodyOf, nameOf, versionOf, viewOf } from "../facts.ts";
import { isNoise } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import type { Sent } from "../network.ts";
import { type Pass, presentPass } from "../pass.ts";
import { type Tally, tally, tallyOf } from "../tally.ts";
import { keyOf, type Target } from "../target.ts";
import { Unheard } from "../unheard.ts";

export const writes: readonly Invariant[] = [
  {
    id: "I11",
    what: "no write leaves the object as it was",
    watch(world, say) {
      const unheard = new Unheard(world);
      const views = new WeakMap<Sent, number>();
      const reads = new WeakMap<Pass, Map<string, number>>();
      const thereOf = ({ target }: Sent) => world.server.store.get(keyOf(target))?.revision ?? 0;
      return {
        sent(sent) {
          if (sent.write === undefined || sent.method === "DELETE") return;
          const view = viewOf(world.process(sent.process), sent.target);
          views.set(sent, view === undefined ? thereOf(sent) : versionOf(view.object));
        },
        applied(sent, changes, status) {
          unheard.applied(sent, changes);
          const { method, request, write, pass } = sent;
          const key = keyOf(sent.target);
          if (method === "GET" && pass !== undefined)
            reads.set(pass, (reads.get(pass) ?? new Map<string, number>()).set(key, thereOf(sent)));
          if (write === undefined || method === "DELETE" || changes.length > 0 || status >= 300) return;
          if (request.path.includes("dryRun=") || unheard.explains(sent)) return;
          if (world.history.isRewound) return; // it may have been decided in another life
          if (pass?.process.wentBack === true) return; // or by who was shown one
          // Who could not know that it was already done is not to blame: neither by somebody else, nor by the next try, which was
          // faster than this one, nor after the server itself was asked, nor by another pass since what this one began with.
          const there = thereOf(sent);
          const asked = (pass && reads.get(pass)?.get(key)) ?? there;
          const last = world.history.changes.findLast((it) => it.key === key)?.sent;
          const isOvertaken = pass !== undefined && there > knownTo(pass, sent) && last?.pass !== pass;
          if ((views.get(sent) ?? there) === there && asked === there && !isOvertaken)
            say(`#${write} ${method} ${request.path} changed nothing`);
        },
        heard: (sent, heard) => unheard.heard(sent, heard),
      };
    },
  },
  {
    id: "I12",
    what: "a pass writes a status once, beyond declared checkpoints; a run is not full of writes",
    watch(world, say) {
      const declared = world.scenario.kinds.map(({ group, plural }) => `${group}/${plural}`);
      const madeIn = ({ theirs }: Tally) => declared.reduce((sum, it) => sum + (theirs.made.get(it) ?? 0), 0);
      const written = new WeakMap<Pass, number>();
      const add = (pass: Pass, by: number) => written.set(pass, (written.get(pass) ?? 0) + by);
      let troubles = 0;
      return {
        applied({ pass, target }, changes) {
          const uid = pass?.object.metadata?.uid;
          const isItsOwn = target.subresource === "status" && changes.some(({ after }) => after.metadata?.uid === uid);
          if (pass !== undefined && isItsOwn) add(pass, 1);
        },
        heard({ pass, target }, { as }) {
          if (as !== "answer") troubles += 1;
          // Who is told that it failed writes it again.
          if (as === "lie" && pass !== undefined && target.subresource === "status") add(pass, -1);
        },
        sample(_process, { is }) {
          const pass = is === "checkpoint" ? presentPass() : undefined;
          if (pass !== undefined) add(pass, -1);
        },
        passed(pass) {
          const count = written.get(pass) ?? 0;
          if (count > 1)
            say(`${pass.process.name} wrote the status of ${nameOf(pass.object)} ${count} times in one pass`);
        },
        end(reference) {
          if (reference === undefined) return;
          const [then, now] = [tallyOf(reference), tally(world.history.changes)];
          const starts = world.processes.length;
          // Others may do less than without faults, and bring more objects all the same.
          const theirs = Math.max(0, now.theirs.all - then.theirs.all, madeIn(now) - madeIn(then));
          const disturbed = troubles + starts + theirs;
          const most = (then.writes + 2) * (1 + disturbed);
          if (now.writes > most) say(`it wrote ${now.writes} times; without faults ${then.writes} times are enough`);
        },
      };
    },
  },
  {
    id: "I16",
    what: "a status is written to the very object that was read",
    watch(world, say) {
      const read = new WeakMap<Sent, string>();
      /** What the server itself last said of an object to a process: that may be ahead of what it is told. */
      const answers = new Map<string, string>();
      const placeOf = ({ process, target }: Sent) => `${process} ${keyOf(target)}`;
      return {
        sent(sent) {
          const { target, pass, write } = sent;
          if (write === undefined || target.subresource !== "status") return;
          if (!isBound(sent))
            say(`#${write} ${sent.method} ${sent.request.path} carries neither the uid nor the version that was read`);
          const known = isOwn(pass, target) ? pass?.object : viewOf(world.process(sent.process), target)?.object;
          const uid = known?.metadata?.uid;
          if (uid !== undefined) read.set(sent, uid);
        },
        applied(sent, changes, status, answer) {
          if (sent.method === "GET" && status === 200 && answer !== undefined) answers.set(placeOf(sent), answer);
          const uid = read.get(sent);
          const change = changes.find(({ key }) => !isNoise(key));
          if (uid === undefined || change === undefined || change.after.metadata?.uid === uid) return;
          if (answers.get(placeOf(sent))?.includes(`"uid":"${change.after.metadata?.uid}"`) === true) return;
          say(
            `#${sent.write} wrote the status of ${nameOf(change.after)} (${change.after.metadata?.uid}), and had read ${uid}`,
          );
        },
      };
    },
  },
];

/** Whether a pass is over that very object. */
function isOwn(pass: Pass | undefined, { resource, namespace, name }: Target): boolean {
  const { metadata } = pass?.object ?? {};
  return pass?.controller.kind.plural === resource && metadata?.name === name && metadata?.namespace === namespace;
}

/** How far what a pass goes by had come, of the object that it writes. */
const knownTo = (pass: Pass, { target }: Sent): number =>
  isOwn(pass, target) ? Math.min(pass.revision, versionOf(pass.object)) : pass.revision;

/** Whether it fits one object only. A uid in a merge or an apply does not bind: the server takes any. */
function isBound(sent: Sent): boolean {
  const body = bodyOf(sent);
  if (Array.isArray(body)) {
    return body.some(({ op, path }: { op?: string; path?: string }) => op === "test" && bound.has(path ?? ""));
  }
  const { metadata } = (body ?? {}) as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion !== undefined;
}

const bound: ReadonlySet<string> = new Set(["/metadata/uid", "/metadata/resourceVersion"]);
