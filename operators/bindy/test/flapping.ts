// Looks on at what is said of pods, and at what their Bindcars answer: a pod is said to fail after two failures, or after one while
// the kubelet does not call it ready either, and to be well again after an answer (7.8, 8.7). All else is flapping.
import type { Clock } from "@telltale/clock";
import { type Instant, type Ms, parseTime } from "@telltale/kinds";
import { Pod } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook } from "@telltale/runtime";
import { podRecords } from "../src/aggregate/pod-records.ts";
import { answered } from "../src/bindcar/outcome.ts";
import type { Wire } from "../src/bindcar/wire.ts";
import { wrongJson } from "../src/bindcar-simulated/delivery.ts";
import { meaningOf } from "../src/http-errors.ts";
import { Bind9Instance } from "../src/kinds/index.ts";
import { parts } from "../src/names.ts";
import { podConditionType } from "../src/reasons.ts";

/** With one pod, since it was last said to be well. */
interface Calls {
  failed: readonly Instant[];
  answered?: Instant;
  /** It has no such zone, was the last that it said of one: a failure too, of which nothing is said here. */
  lacks?: true;
  /** Another pod may have its name later. */
  wasWell?: true;
  /** The last word of it was put back with the server. */
  isPutBack?: true;
}

/** What an instance says of one of its pods. */
interface Word {
  readonly pod: string;
  readonly is: "well" | "failing" | "other";
  /** Since when it is, or is not, well. */
  readonly since: number;
}

const second: Ms = 1_000;

export class Flapping {
  /** What was said without a cause, in words. */
  readonly found: string[] = [];
  readonly #clock: Clock;
  /** By the pod's address. */
  readonly #calls = new Map<string, Calls>();
  /** By a pod's name, where pods of that name have been. */
  readonly #homes = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same wire, listened to. */
  over(wire: Wire): Wire {
    return {
      send: async (request, signal) => {
        try {
          const answer = await wire.send(request, signal);
          const isWell = answer.status < 400 && answer.body !== wrongJson;
          const calls = this.#at(request.endpoint);
          if (answer.status === 404 && request.path.includes("/zones/")) calls.lacks = true;
          else this.#heard(request.endpoint, isWell);
          if (isWell && /\/zones\/.*\/status$/.test(request.path)) delete calls.lacks;
          return answer;
        } catch (error) {
          this.#heard(request.endpoint, false);
          throw error;
        }
      },
    };
  }

  #heard(endpoint: string, isWell: boolean): void {
    const calls = this.#at(endpoint);
    if (isWell) calls.answered = this.#clock.now();
    else calls.failed = [...calls.failed, this.#clock.now()];
  }

  #at(endpoint: string): Calls {
    return this.#of(endpoint.split(":")[0] ?? "");
  }

  #homesOf(pod: string): Set<string> {
    const homes = this.#homes.get(pod) ?? new Set();
    this.#homes.set(pod, homes);
    return homes;
  }

  #of(address: string): Calls {
    const calls = this.#calls.get(address) ?? { failed: [] };
    this.#calls.set(address, calls);
    return calls;
  }

  /** Makes no passes: it only sees what is written. */
  onlooker(): Controller {
    return controller(Bind9Instance, "onlooker")
      .on("deletion")
      .gate(() => "ignore")
      .watches(
        Pod,
        ({ new: pod }) => {
          const address = pod?.status?.podIP;
          if (address !== undefined) this.#homesOf(pod?.metadata?.name ?? "").add(address);
          return [];
        },
        parts,
      )
      .watches(Bind9Instance, ({ old, new: next }, look) => {
        if (old !== undefined && next !== undefined) this.#judge(old, next, look);
        return [];
      })
      .events("none")
      .reconcile<undefined>({ observe: () => undefined, status: () => ({ status: undefined }) });
  }

  #judge(old: Bind9Instance, next: Bind9Instance, look: MapLook): void {
    const before = new Map(wordsOf(old).map((it) => [it.pod, it]));
    for (const { pod: name, is, since } of wordsOf(next)) {
      const { is: was, since: then = 0 } = before.get(name) ?? {};
      const pod = look.get(Pod, { namespace: next.metadata.namespace ?? "", name });
      const address = pod?.status?.podIP ?? "";
      const calls = this.#of(address);
      // Of a server that was put back: nobody has said it now.
      if (since < then) {
        calls.isPutBack = true;
        continue;
      }
      // Whoever is shown the past asks the pod that was there then.
      const former = [...this.#homesOf(name)].filter((it) => it !== address).map((it) => this.#of(it));
      const [first, other] = calls.failed;
      const isSteady = pod !== undefined && first !== undefined && isReadySince(pod, first);
      const isEnough =
        (first !== undefined && (!isSteady || other !== undefined || calls.lacks === true)) ||
        former.some(({ failed }) => failed.length > 0);
      // A word that was put back is not by these failures: the first of them changes nothing.
      const last = other ?? (calls.isPutBack === true ? undefined : first);
      if (is !== was) delete calls.isPutBack;
      if (was === "well" && is === "failing" && calls.wasWell === true && !isEnough)
        this.found.push(`Pod ${name} is said to fail after ${calls.failed.length} failure(s)`);
      if (is === "well") calls.wasWell = true;
      if (is === "well" && was !== "well") for (const it of former) it.failed = [];
      if (was !== "failing" || is !== "well") continue;
      if (isSteady && last !== undefined && (calls.answered === undefined || calls.answered < last))
        this.found.push(`Pod ${name} is said to be well again, and has answered nobody`);
      // What has failed since its last answer counts for the next time, however late the word came.
      const from = Math.min(since, calls.answered ?? since);
      calls.failed = calls.failed.filter((at) => at >= from);
    }
  }
}

function wordsOf({ status }: Bind9Instance): readonly Word[] {
  return podRecords(status).flatMap(({ name: pod, slot, finding: { probe } }): readonly Word[] => {
    const condition = status?.conditions?.find(({ type }) => type === podConditionType(slot));
    if (condition === undefined) return [];
    const since = parseTime(condition.lastTransitionTime) ?? 0;
    if (condition.status === "True") return [{ pod, is: "well", since }];
    const isShown = probe.kind === "failed" && condition.reason === meaningOf(probe.fault).reason;
    const isJudged = isShown && !answered(probe.fault.trouble, 404);
    return [{ pod, is: isJudged ? "failing" : "other", since }];
  });
}

/** What is stored are whole seconds: in the second itself nobody knows. */
function isReadySince({ status }: Pod, at: Instant): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const since = ready?.status === "True" ? parseTime(ready.lastTransitionTime) : undefined;
  return since !== undefined && since + second <= at;
}
