import { plus } from "@telltale/kinds";
import { Job } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";
import { Backup } from "./backup.example.ts";

const containers = [{ name: "copy", image: "example.com/copy:1" }];
const template = { spec: { containers, restartPolicy: "Never" } };

export const backups = controller(Backup)
  .owns(Job)
  .reconcile({
    observe: ({ metadata }) => ({ name: metadata.name ?? "", job: "" }),
    async act(_plan, hands, { name }) {
      const { as } = await hands.ensure(Job, { metadata: { name }, spec: { template } });
      return { name, job: as };
    },
    status({ job }, draft, now) {
      if (job !== "foreign" && job !== "terminating") draft.condition("Ready", true, "Started", "Its Job is there");
      else draft.condition("Ready", false, "Starting", "Its Job is not there yet").wake(plus(now, 10_000));
    },
  });
