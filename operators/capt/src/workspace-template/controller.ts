// The controller of WorkspaceTemplates: it only says whether one is any good. Whoever deletes a template in use may.
import { type Controller, controller } from "@telltale/runtime";
import type { Config } from "../config.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { finalizers, managers } from "../names.ts";
import { invalid } from "./validate.ts";

export function workspaceTemplates(config: Pick<Config, "allowedSecretNamespaces" | "concurrency">): Controller {
  return (
    controller(WorkspaceTemplate, "workspacetemplate")
      .on("generation", "deletion", "finalizers", "status")
      .gate(({ spec }: { readonly spec?: unknown }) => (spec === undefined ? "ignore" : "go"))
      .writes(WorkspaceTemplate, "patch")
      // A finalizer of an older installation would hold it for ever.
      .untilGone()
      .events("none")
      .status({ as: "apply", fieldManager: managers.workspace })
      .workers(config.concurrency)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.2 })
      .resync(36_000_000)
      .reconcile({
        observe: (template) => template,
        async act(_plan, hands, template) {
          const { finalizers: held = [] } = template.metadata;
          if (!held.includes(finalizers.workspaceTemplateLegacy)) return template;
          return hands.patch(WorkspaceTemplate, template, [
            { op: "test", path: "/metadata/finalizers", value: held },
            {
              op: "replace",
              path: "/metadata/finalizers",
              value: held.filter((it) => it !== finalizers.workspaceTemplateLegacy),
            },
          ]);
        },
        status(template, draft) {
          const wrong = invalid(template, config.allowedSecretNamespaces);
          if (wrong === undefined) draft.condition("Valid", true, "Valid", "the template can be rendered");
          else draft.condition("Valid", false, "InvalidTemplate", wrong);
        },
      })
  );
}
