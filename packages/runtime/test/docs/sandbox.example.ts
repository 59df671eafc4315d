import { findConnection, httpTransport } from "@telltale/client";
import { systemClock } from "@telltale/clock";
import { column, conditionColumn, conditions, defineKind, Duration, Fields, Int32, no, positive, Time, yes } from "@telltale/kinds";
import { formatTime, type Instant, parseGoDuration, parseTime, plus, type Resource } from "@telltale/kinds";
import { Namespace, ResourceQuota } from "@telltale/kinds/builtin";
import { controller, manager, pinoLog } from "@telltale/runtime";
import { Failed, text } from "@telltale/status";

export const Sandbox = defineKind({
  group: "example.com", version: "v1", kind: "Sandbox", scope: "Cluster",
  spec: Fields({ lasts: Duration({ default: "8h" }), pods: Int32({ minimum: 1, default: 10 }) }),
  status: Fields({ expiresAt: Time() }),
  conditions: conditions({
    Ready: positive({
      means: "The namespace is there to be used",
      reasons: {
        Open: yes("It is, until status.expiresAt"),
        NameTaken: no("Another namespace has the name, or the last one is still going", "wait, or choose another name"),
        TimeIsUp: no("The namespace was removed with all that was in it", "raise spec.lasts, or make another sandbox"),
      },
    }),
  }),
  columns: [conditionColumn("Ready", "Ready"), conditionColumn("Why", "Ready", "reason"), column("Expires", ".status.expiresAt")],
});
export type Sandbox = Resource<typeof Sandbox>;

const endOf = ({ metadata, spec }: Sandbox, now: Instant) =>
  plus(parseTime(metadata.creationTimestamp) ?? now, parseGoDuration(spec.lasts) ?? 0);

export const sandboxes = controller(Sandbox)
  .owns(Namespace, ResourceQuota)
  .reconcile({
    observe: (it, look) => ({ it, namespace: look.children(Namespace)[0] }),
    plan({ it, namespace }, now) {
      if (now < endOf(it, now)) return { open: it.metadata.name ?? "", pods: `${it.spec.pods}` };
      return { close: namespace?.metadata?.deletionTimestamp === undefined ? namespace : undefined };
    },
    async act(plan, hands) {
      if (plan.close !== undefined) await hands.remove(Namespace, plan.close, "Background");
      if (plan.open === undefined) return;
      const { as } = await hands.ensure(Namespace, { metadata: { name: plan.open } });
      if (as === "foreign" || as === "terminating")
        throw new Failed({ class: "waiting", reason: "NameTaken", message: text`Namespace ${plan.open} is ${as}` });
      await hands.ensure(ResourceQuota, { metadata: { name: "sandbox", namespace: plan.open }, spec: { hard: { pods: plan.pods } } });
    },
    status({ it }, draft, now) {
      const end = endOf(it, now);
      draft.set({ expiresAt: formatTime(end) });
      if (now < end) draft.condition("Ready", true, "Open", text`Namespace ${it.metadata.name ?? ""} is open`).wake(end);
      else draft.condition("Ready", false, "TimeIsUp", "The namespace was removed");
    },
  });

if (import.meta.main) {
  const log = await pinoLog({ level: "info", clock: systemClock });
  const transport = httpTransport(await findConnection({ clock: systemClock }));
  await manager({ name: "sandboxes", transport, controllers: [sandboxes], log }).run(new AbortController().signal);
}
