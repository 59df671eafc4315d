// What comes over the wire for one request, once faults have had their way.
import type { Ms } from "@telltale/kinds";
import { json, plain, type Reply } from "../bindcar-server/message.ts";
import type { Met } from "./faults.ts";

export type Delivery =
  | { readonly as: "answer"; readonly reply: Reply; readonly after: Ms }
  | { readonly as: "truncated"; readonly reply: Reply; readonly after: Ms } // half of the body, then the end
  | { readonly as: "refused" | "reset" | "hang" | "garbage" };

/** JSON, and not what anybody has asked for. */
export const wrongJson = '["simulated"]';

export async function deliver(met: Met | undefined, answer: () => Promise<Reply>): Promise<Delivery> {
  if (met === undefined) return { as: "answer", reply: await answer(), after: 0 };
  const { action, delay: after } = met;
  switch (action.type) {
    case "refuse":
      return { as: "refused" };
    case "reset":
    case "hang":
    case "garbage":
      return { as: action.type };
    case "slow":
      return { as: "answer", reply: await answer(), after };
    case "truncate":
      return { as: "truncated", reply: await answer(), after };
    case "wrongJson":
      return { as: "answer", reply: { ...json(200, {}), body: wrongJson }, after };
    case "rateLimit":
      return { as: "answer", reply: plain(429, "Too Many Requests", { "retry-after": "1" }), after };
    case "status": {
      const { code, body = '{"error":"simulated","details":null}', headers = {} } = action;
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      return { as: "answer", reply: { ...json(code, {}, named), body }, after };
    }
  }
}
