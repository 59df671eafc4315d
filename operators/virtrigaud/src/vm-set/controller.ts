// The controller of VMSets: what it owns and watches, and its steps in a row.
import { ControllerRevision, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import { VirtualMachine, VMSet, type VMSetStatus } from "../kinds/index.ts";
import { fieldManager, labels } from "../names.ts";
import { act } from "./act.ts";
import { eventsOf } from "./events.ts";
import { finalize } from "./finalize.ts";
import { parsedName } from "./objects.ts";
import { byLabel, byName, isNews, observe, setsOf } from "./observe.ts";
import { plan } from "./plan.ts";
import { type Hash, revisionHash } from "./revisions.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

export interface VMSetOptions {
  /** Of a template. Default: FNV-1a, as for pods. */
  readonly hash?: Hash;
  /** Passes at a time. Default: 3. */
  readonly workers?: number;
  /** What a pass does. Given only where a simulation tries it without one of its rules. */
  readonly planned?: typeof plan;
}

export function vmSets({ hash = revisionHash, workers = 3, planned = plan }: VMSetOptions = {}): Controller {
  return (
    controller(VMSet)
      .on("generation", "deletion", "labels", "annotations", "finalizers", "status")
      .owns(ControllerRevision)
      .watches(VirtualMachine, ({ old, new: next }) => [...setsOf(old), ...setsOf(next)], {
        changed: isNews,
      })
      .writes(VirtualMachine, "create", "patch", "delete")
      .reads(PersistentVolumeClaim, { label: labels.vmSet })
      .writes(PersistentVolumeClaim, "create", "delete")
      .index(VirtualMachine, byName, ({ metadata }) => {
        const named = parsedName(metadata.name ?? "");
        return named === undefined ? [] : [`${metadata.namespace}/${named.set}`];
      })
      .index(PersistentVolumeClaim, byLabel, ({ metadata }) => [
        `${metadata?.namespace}/${metadata?.labels?.[labels.vmSet]}`,
      ])
      .finalize(finalize)
      .checkpoints("collision", "retry")
      .events("none")
      .status({ as: "patch", fieldManager })
      .workers(workers)
      // A thousand machines that change at once are one pass a second, and one write.
      .spacing(1_000)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .reconcile<World>({
        observe,
        act: (_nothing, hands, world) => act(world, hands, hash, planned),
        status,
        after({ before, status: after }, hands) {
          // What the kind's own draft has read and made.
          const [was, is] = [before ?? {}, after] as readonly VMSetStatus[];
          for (const { type, reason, message } of eventsOf(was ?? {}, is ?? {})) hands.event(type, reason, message);
        },
      })
  );
}
