// Several admissions as one: the changes one after the other, the refusals of all before any is told.
import type { Random } from "@telltale/clock";
import type { JsonObject } from "../json.ts";
import { admitPod, type World, withNotReadyTaint, withProtection, withTolerations } from "../kinds/admission.ts";
import { generatedName } from "../registry/metadata.ts";
import type { Store } from "../store/store.ts";
import type { Admission } from "./admission.ts";

export function chain(...admissions: readonly Admission[]): Admission {
  return {
    async mutate(a) {
      let object = a.object;
      for (const admission of admissions) object = await admission.mutate({ ...a, object });
      return object;
    },
    async validate(a) {
      const results = await Promise.allSettled(admissions.map((admission) => admission.validate(a)));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
  };
}

export interface BuiltinAdmissionOptions {
  readonly store: Store;
  readonly random: Random;
  /** Whether pods get their ServiceAccount and its token, and cannot be made without one. */
  readonly serviceAccounts: boolean;
}

/** What is part of the server: priorities, tolerations, service accounts, protection of volumes, taints of new nodes. */
export function builtinAdmission({ store, random, serviceAccounts }: BuiltinAdmissionOptions): Admission {
  const world: World = {
    priorityClass: (name) => store.get(`${priorityClasses}${name}`)?.object(),
    defaultPriorityClass: () => lowestDefault(store.scan(priorityClasses).records.map((record) => record.object())),
    ...(serviceAccounts
      ? {
          serviceAccounts: {
            find: (namespace, name) => store.get(`//serviceaccounts/${namespace}/${name}`)?.object(),
            suffix: () => generatedName("", () => random.next()),
          },
        }
      : {}),
  };
  return {
    async mutate({ operation, resource, subresource, namespace, object }) {
      if (subresource !== "" || object === undefined) return object;
      const { group, resource: name } = resource;
      if (operation === "UPDATE" && group === "" && name === "pods") return withTolerations(object);
      if (operation !== "CREATE") return object;
      if (group === "" && name === "pods") return admitPod(object, namespace, world);
      if (group === "" && name === "nodes") return withNotReadyTaint(object);
      return withProtection(object, resource);
    },
    validate: () => Promise.resolve(),
  };
}

const priorityClasses = "/scheduling.k8s.io/priorityclasses/";

/** Of several defaults, which there should not be, the lowest. */
function lowestDefault(classes: readonly JsonObject[]): JsonObject | undefined {
  const value = (c: JsonObject) => (typeof c["value"] === "number" ? c["value"] : 0);
  return classes.filter((c) => c["globalDefault"] === true).sort((a, b) => value(a) - value(b))[0];
}
