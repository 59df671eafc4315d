// The endpoint that gives a running pod further containers, for looking into it. The words are those of Kubernetes. Pure.
import { deepEqual } from "@telltale/kinds";
import { type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField } from "../status.ts";
import { each, given } from "./edit.ts";
import { podSpec } from "./pod-validation.ts";
import type { PartStrategy } from "./strategy.ts";

export const ephemeralContainersPart: PartStrategy = {
  // Nothing of the pod changes but these containers.
  prepare(pod, old) {
    const spec: JsonObject = { ...given(old, "spec") };
    const containers = each(given(pod, "spec"), "ephemeralContainers");
    if (containers.length === 0) delete spec["ephemeralContainers"];
    else spec["ephemeralContainers"] = containers;
    const managed = given(pod, "metadata")?.["managedFields"];
    const metadata: JsonObject = { ...given(old, "metadata") };
    if (managed !== undefined) metadata["managedFields"] = managed;
    return { ...old, metadata, spec };
  },
  validate(pod, old): FieldError[] {
    if (given(given(old, "metadata"), "annotations")?.["kubernetes.io/config.mirror"] !== undefined)
      return [forbiddenField("", "static pods do not support ephemeral containers")];
    const spec = given(pod, "spec") ?? {};
    const now = new Map(each(spec, "ephemeralContainers").map((it) => [text(it["name"]), it]));
    const kept = each(given(old, "spec"), "ephemeralContainers").flatMap((before): FieldError[] => {
      const name = text(before["name"]);
      const after = now.get(name);
      if (after !== undefined && deepEqual(after, before)) return [];
      const what = after === undefined ? "removed" : "changed";
      return [
        forbiddenField("spec.ephemeralContainers", `existing ephemeral containers "${name}" may not be ${what}\n`),
      ];
    });
    return [...podSpec("spec", spec), ...kept];
  },
};
