// A pass of a controller as it is seen from outside: whose it is, what it began with, how it ended. What runs on behalf of a
// pass knows which one.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Instant, KubeObject } from "@telltale/kinds";
import type { Controller, Finalized, PassResult } from "@telltale/runtime";
import type { Process } from "./process.ts";

export interface Pass {
  readonly process: Process;
  readonly controller: Controller;
  /** As the controller was given it. */
  readonly object: KubeObject;
  /** By the clock of its process. */
  readonly at: Instant;
  /** How far the server had come. */
  readonly revision: number;
  /** What its gates said. */
  gate: "go" | "ignore" | "only";
  /** What its cleaning up came to, where it did any. */
  finalized?: Finalized["as"] | "threw";
  result?: PassResult;
}

const present = new AsyncLocalStorage<Pass>();

/** The pass on whose behalf this runs. */
export const presentPass = (): Pass | undefined => present.getStore();

/** The same controller, and each pass of it is seen. The first gate is what every pass begins with. */
export function seen(it: Controller, begins: (object: KubeObject) => Pass): Controller {
  const first: Controller["gates"][number] = (object) => {
    present.enterWith(begins(object));
    return "go";
  };
  const gates: Controller["gates"] = it.gates.map((ask) => (object, look) => {
    const answer = ask(object, look);
    const pass = presentPass();
    if (pass !== undefined) pass.gate = typeof answer === "string" ? answer : "only";
    return answer;
  });
  const { finalizer } = it;
  if (finalizer === undefined) return { ...it, gates: [first, ...gates] };
  const run: typeof finalizer.run = async (...around) => {
    const pass = presentPass();
    const say = (as: Pass["finalized"] & string) => {
      if (pass !== undefined) pass.finalized = as;
    };
    say("threw");
    const finalized = await finalizer.run(...around);
    say(finalized.as);
    return finalized;
  };
  return { ...it, gates: [first, ...gates], finalizer: { ...finalizer, run } };
}
