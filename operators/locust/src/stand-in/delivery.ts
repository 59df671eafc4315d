// What comes over the wire for one request, once faults have had their way.
import type { Ms } from "@telltale/kinds";
import type { Fault } from "./faults.ts";
import { page, type Reply } from "./routes.ts";

export type Delivery =
  | { readonly as: "answer"; readonly reply: Reply; readonly after: Ms }
  | { readonly as: "drip"; readonly reply: Reply; readonly every: Ms } // a byte at a time
  | { readonly as: "refused" | "reset" | "hang" };

export function deliver(faults: readonly Fault[], ask: (faults: readonly Fault[]) => Reply): Delivery {
  for (const { is } of faults) if (is === "reset" || is === "hang") return { as: is };
  const reply = replyTo(faults, ask);
  if (faults.some(({ is }) => is === "drip")) return { as: "drip", reply, every: 100 };
  const after = faults.reduce((sum, fault) => sum + (fault.is === "slow" ? fault.ms : 0), 0);
  return { as: "answer", reply, after };
}

function replyTo(faults: readonly Fault[], ask: (faults: readonly Fault[]) => Reply): Reply {
  for (const fault of faults) {
    if (fault.is === "html") return page(200, "Welcome", "This is no Locust.");
    if (fault.is !== "status") continue;
    const reply = page(fault.code, `Status ${fault.code}`);
    const isRedirect = fault.code >= 300 && fault.code < 400;
    return isRedirect ? { ...reply, headers: { ...reply.headers, location: "/login" } } : reply;
  }
  return ask(faults);
}
