import { conditions, defineKind, Fields, no, positive, Text, yes } from "@telltale/kinds";
import { controller, done, waiting } from "@telltale/runtime";
import { Failed, sanitize, text } from "@telltale/status";

export const Domain = defineKind({
  group: "example.com", version: "v1", kind: "Domain", finalizer: "example.com/domain",
  spec: Fields({ host: Text() }),
  status: Fields({ number: Text() }),
  conditions: conditions({
    Ready: positive({
      means: "The host is registered",
      reasons: {
        Registered: yes("It is"),
        Refused: no("The registrar does not want it", "correct spec.host"),
        Leaving: no("The registration is being given back", "wait"),
      },
    }),
  }),
});

/** A service outside the cluster, real or simulated. It knows each registration by a token of ours. */
export interface Registrar {
  find(token: string): Promise<string | undefined>;
  register(host: string, token: string): Promise<string>;
  release(token: string): Promise<"released" | "pending">;
}

export const domains = (registrar: Registrar) =>
  controller(Domain)
    .finalize(async ({ metadata }, _hands, draft) => {
      if ((await registrar.release(metadata.uid ?? "")) === "released") return done;
      draft.condition("Ready", false, "Leaving", "Waits for the registrar");
      return waiting(5_000);
    })
    .reconcile({
      observe: async (it) => ({ it, number: await registrar.find(it.metadata.uid ?? "") }),
      async act(_plan, hands, { it, number }) {
        if (number !== undefined) return { it, number };
        const made = await registrar.register(it.spec.host, it.metadata.uid ?? "").catch(refused);
        hands.event("Normal", "Bought", `${it.spec.host} has the number ${made}`);
        return { it, number: made };
      },
      status({ it, number }, draft) {
        if (number === undefined) return;
        draft.set({ number }).condition("Ready", true, "Registered", text`${it.spec.host} is registered`);
      },
    });

function refused(error: unknown): never {
  throw new Failed({ class: "invalid", reason: "Refused", message: sanitize(error, { max: 200 }) });
}
