import { ApiError } from "@telltale/client";
import { type Hands, silentLog } from "@telltale/runtime";
import { expect, test } from "vitest";
import { claimTemplate, member, setOf, viewOf } from "../../test/members.ts";
import { perform } from "./perform.ts";
import type { Action } from "./plan.ts";

const set = setOf({ volumeClaimTemplates: [claimTemplate] });
const claim = (name: string) => ({ metadata: { name } });

/** Does the actions in turn, with a server that answers each request for a name as given. */
async function doing(actions: readonly Action[], refusals: Record<string, Error | "terminating">) {
  const said: string[] = [];
  const asked: string[] = [];
  const answer = async (_kind: unknown, object: { metadata?: { name?: string } }) => {
    const name = object.metadata?.name ?? "";
    asked.push(name);
    const refusal = refusals[name];
    if (refusal instanceof Error) throw refusal;
    return { as: refusal ?? "created", live: object };
  };
  const event = (...words: string[]) => said.push(words.slice(1).join(": "));
  const hands = { ensure: answer, remove: answer, event, log: silentLog } as unknown as Hands;
  const failure = await perform({ order: "in turn", steps: [actions] }, hands, viewOf(set, []));
  return { failure, said, asked };
}

const refusal = (message: string, cause = "") =>
  new ApiError("POST /", { code: 403, message, details: { causes: [{ reason: cause }] } });

test("all claims are tried, what is wrong with each is said, and the pod is not made without them", async () => {
  const create: Action = { do: "create", pod: member(0), claims: ["a", "b", "c"].map(claim) };
  const { failure, said, asked } = await doing([create], { a: refusal("no room"), c: "terminating" });
  expect(asked).toEqual(["a", "b", "c"]);
  expect(failure).toBe("[failed to create PVC a: no room, pvc c is being deleted]");
  expect(said).toEqual([
    "FailedCreate: Create Claim a for Pod db-0 in StatefulSet db failed error: no room",
    "SuccessfulCreate: Create Claim b Pod db-0 in StatefulSet db success",
    `FailedCreate: Create Pod db-0 in StatefulSet db failed error: ${failure}`,
  ]);
});

test("a failure leaves out what comes after it", async () => {
  const remove = (ordinal: number): Action => ({ do: "remove", pod: member(ordinal) });
  const { failure, said, asked } = await doing([remove(2), remove(1)], { "db-2": refusal("held") });
  expect([failure, asked]).toEqual(["held", ["db-2"]]);
  expect(said).toEqual(["FailedDelete: Delete Pod db-2 in StatefulSet db failed error: held"]);
});

test("that a namespace is going is nothing to tell of", async () => {
  const create: Action = { do: "create", pod: member(0), claims: [] };
  const { failure, said } = await doing([create], { "db-0": refusal("n is being terminated", "NamespaceTerminating") });
  expect([failure, said]).toEqual(["n is being terminated", []]);
});
