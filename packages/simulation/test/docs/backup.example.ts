import { conditions, defineKind, Fields, no, positive, type Resource, yes } from "@telltale/kinds";
import { Job } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";

export const Backup = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Backup",
  spec: Fields({}),
  conditions: conditions({
    Ready: positive({
      means: "The backup is being made",
      reasons: { Started: yes("Its Job is there"), Starting: no("Its Job is not there yet", "wait") },
    }),
  }),
});
export type Backup = Resource<typeof Backup>;

const containers = [{ name: "copy", image: "example.com/copy:1" }];
const template = { spec: { containers, restartPolicy: "Never" } };

export const backups = controller(Backup)
  .owns(Job)
  .reconcile({
    observe: (_backup, look) => ({ job: look.children(Job)[0] }),
    async act(_plan, hands, { job }) {
      if (job === undefined) await hands.create(Job, { metadata: { generateName: "backup-" }, spec: { template } });
    },
    status({ job }, draft) {
      if (job !== undefined) draft.condition("Ready", true, "Started", "Its Job is there");
      else draft.condition("Ready", false, "Starting", "Its Job is not there yet");
    },
  });
