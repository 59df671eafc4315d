// I15: only who holds the lease writes.
import type { Instant, KubeObject } from "@telltale/kinds";
import type { Invariant } from "../invariant.ts";
import { terms } from "../process.ts";

interface Held {
  readonly holder: string;
  readonly at: Instant;
}

export const leaders: Invariant = {
  id: "I15",
  what: "nothing is written by a process that does not hold the lease",
  watch(world, say) {
    const isLease = (key: string) => key.startsWith("/coordination.k8s.io/leases/");
    const isOurs = (key: string) => isLease(key) && key.endsWith(`/${world.scenario.name}`);
    let held: Held | undefined;
    world.history.listen(({ key, type, after, at }) => {
      // Whoever held one that somebody deleted does not know yet.
      if (isOurs(key) && type !== "DELETED") held = { holder: holderOf(after), at };
    });
    return {
      sent({ process, write, target, method, request }) {
        if (write === undefined || target.resource === "leases" || world.process(process)?.elects !== true) return;
        if (world.history.isRewound) return; // the lease is that of a time that has not been
        const now = world.clock.now();
        const who = `${process}: #${write} ${method} ${request.path}`;
        if (held?.holder !== process)
          say(`${who}, and the lease is ${held?.holder ? `of ${held.holder}` : "nobody's"}`);
        else if (now >= held.at + terms.duration)
          say(`${who}, and its lease ended ${now - held.at - terms.duration} ms ago`);
      },
    };
  },
};

const holderOf = (lease: KubeObject): string =>
  (lease as { readonly spec?: { readonly holderIdentity?: string } }).spec?.holderIdentity ?? "";
