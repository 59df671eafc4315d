// The kinds of `apps/v1`.
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@telltale/kinds/builtin";
import { at, isObject, type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, notSupported, required } from "../status.ts";
import {
  immutable,
  intOrPercent,
  invalidRaw,
  isEmpty,
  isUsableSelector,
  labelProblems,
  nonNegative,
  notOverHundred,
  same,
  shownSelector,
  told,
} from "./checks.ts";
import { child, each, fill, filled, fillZero, given, number } from "./edit.ts";
import { goStruct, goValue } from "./go-shape.ts";
import { fillPodTemplate } from "./pod-defaults.ts";
import { claimWarnings, ownerWarnings, templateWarnings } from "./pod-warnings.ts";
import {
  alwaysTemplate,
  invalidSelector,
  matchesTemplate,
  replicaStatus,
  replicas,
  requiredSelector,
  scaleSubresource,
} from "./replicas.ts";
import { fillClaimSpec, validateClaimSpec } from "./storage.ts";
import { keeping, type Strategy, statusOnly, strategy, without } from "./strategy.ts";

type Found = FieldError[];

const scaled = { scale: replicas, subresources: [scaleSubresource] };
const specOf = (object: JsonObject): JsonObject => given(object, "spec") ?? {};
const ofTemplate = (object: JsonObject): string[] =>
  templateWarnings("spec.template", given(specOf(object), "template"));
const generationAnnotation = "deprecated.daemonset.template.generation";

function validateRevision({ data, revision }: JsonObject): Found {
  const why = data === undefined || data === null ? "data is mandatory" : "data must be a valid JSON object";
  return [...nonNegative("revision", revision), ...(isObject(data) ? [] : [required("data", why)])];
}

export const appsStrategies: readonly Strategy[] = [
  strategy(ControllerRevision, "apps.ControllerRevision", {
    validate: validateRevision,
    validateUpdate: (revision, old) => [
      ...validateRevision(revision),
      ...(same(revision["data"], old["data"]) ? [] : [immutable("data", revision["data"])]),
    ],
  }),
  strategy(Deployment, "apps.Deployment", {
    ...scaled,
    tracksGeneration: true,
    // They are copied to its ReplicaSets.
    generationFollows: (object, old) =>
      !same(at(object, "metadata", "annotations") ?? {}, at(old, "metadata", "annotations") ?? {}),
    default: filled(fillDeployment),
    prepareStatusUpdate: (object, old) => {
      const changed = statusOnly(object, old);
      return {
        ...changed,
        metadata: keeping(given(changed, "metadata") ?? {}, given(old, "metadata") ?? {}, "labels"),
      };
    },
    validate: validateDeployment,
    validateUpdate: (object, old) => [...validateDeployment(object), ...fixedSelector(object, old)],
    validateStatusUpdate: (object) => replicaStatus(object, ["updatedReplicas", "readyReplicas", "availableReplicas"]),
    warnings: ownerWarnings(ofTemplate),
  }),
  strategy(ReplicaSet, "apps.ReplicaSet", {
    ...scaled,
    tracksGeneration: true,
    default: filled((object) => {
      const spec = child(object, "spec");
      fillPodTemplate(spec);
      fill(spec, "replicas", 1);
    }),
    validate: validateReplicaSet,
    validateUpdate: (object, old) => [...validateReplicaSet(object), ...fixedSelector(object, old)],
    validateStatusUpdate: (object) => replicaStatus(object),
    warnings: ownerWarnings(ofTemplate),
  }),
  strategy(StatefulSet, "apps.StatefulSet", {
    ...scaled,
    tracksGeneration: true,
    default: filled(fillStatefulSet),
    validate: (object) => [
      ...validateStatefulSet(object),
      ...claimTemplates(specOf(object)),
      ...serviceName(specOf(object)),
    ],
    validateUpdate: (object, old) => [...validateStatefulSet(object), ...statefulSetUpdate(object, old)],
    warnings: (object, old) => {
      // The paths of Kubernetes, which are not the same for a change.
      const field = (i: number) => `spec.volumeClaimTemplates[${i}]${old === undefined ? "" : ".Spec"}`;
      const limit = number(specOf(object), "revisionHistoryLimit") ?? 0;
      return [
        ...ownerWarnings(ofTemplate, () => [])(object, old),
        ...each(specOf(object), "volumeClaimTemplates").flatMap((claim, i) => claimWarnings(field(i), specOf(claim))),
        ...(limit < 0
          ? [
              "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
            ]
          : []),
      ];
    },
  }),
  strategy(DaemonSet, "apps.DaemonSet", {
    tracksGeneration: true,
    default: filled((object) => {
      const spec = child(object, "spec");
      fillPodTemplate(spec);
      const update = child(spec, "updateStrategy");
      fillZero(update, "type", "RollingUpdate");
      if (update["type"] === "RollingUpdate") {
        const rolling = child(update, "rollingUpdate");
        fill(rolling, "maxUnavailable", 1);
        fill(rolling, "maxSurge", 0);
      }
      fill(spec, "revisionHistoryLimit", 10);
    }),
    prepareCreate: (object) => counted(without(object, "status"), 1),
    prepareUpdate: (object, old) => {
      const moved = !same(at(object, "spec", "template"), at(old, "spec", "template"));
      return counted(keeping(object, old, "status"), templateGeneration(old) + (moved ? 1 : 0));
    },
    prepareStatusUpdate: (object, old) => counted(statusOnly(object, old), templateGeneration(old)),
    validate: validateDaemonSet,
    validateUpdate: (object, old) => [...fixedSelector(object, old), ...validateDaemonSet(object)],
    warnings: (object, old) =>
      old !== undefined && templateGeneration(object) === templateGeneration(old) ? [] : ofTemplate(object),
  }),
];

/** How often the template has changed: a field once, an annotation now. */
const templateGeneration = (object: JsonObject): number =>
  Number(text(at(object, "metadata", "annotations", generationAnnotation))) || 0;

function counted(object: JsonObject, generation: number): JsonObject {
  const metadata = given(object, "metadata") ?? {};
  const annotations = { ...given(metadata, "annotations"), [generationAnnotation]: String(generation) };
  return { ...object, metadata: { ...metadata, annotations } };
}

function fillDeployment(object: JsonObject): void {
  const spec = child(object, "spec");
  fillPodTemplate(spec);
  fill(spec, "replicas", 1);
  const way = child(spec, "strategy");
  fillZero(way, "type", "RollingUpdate");
  if (way["type"] === "RollingUpdate") {
    const rolling = child(way, "rollingUpdate");
    fill(rolling, "maxUnavailable", "25%");
    fill(rolling, "maxSurge", "25%");
  }
  fill(spec, "revisionHistoryLimit", 10);
  fill(spec, "progressDeadlineSeconds", 600);
}

function fillStatefulSet(object: JsonObject): void {
  const spec = child(object, "spec");
  fillPodTemplate(spec);
  fillZero(spec, "podManagementPolicy", "OrderedReady");
  const update = child(spec, "updateStrategy");
  if (text(update["type"]) === "") {
    update["type"] = "RollingUpdate";
    fill(child(update, "rollingUpdate"), "partition", 0);
  } else if (update["type"] === "RollingUpdate" && given(update, "rollingUpdate") !== undefined)
    fill(child(update, "rollingUpdate"), "partition", 0);
  const retention = child(spec, "persistentVolumeClaimRetentionPolicy");
  fillZero(retention, "whenDeleted", "Retain");
  fillZero(retention, "whenScaled", "Retain");
  fill(spec, "replicas", 1);
  fill(spec, "revisionHistoryLimit", 10);
  for (const claim of each(spec, "volumeClaimTemplates")) {
    fillZero(claim, "apiVersion", "v1");
    fillZero(claim, "kind", "PersistentVolumeClaim");
    fillClaimSpec(child(claim, "spec"));
    fillZero(child(claim, "status"), "phase", "Pending");
  }
}

function fixedSelector(object: JsonObject, old: JsonObject): Found {
  const selector = given(specOf(object), "selector");
  return same(shownSelector(selector), shownSelector(given(specOf(old), "selector")))
    ? []
    : [immutable("spec.selector", shownSelector(selector))];
}

/** The selector, and the template against it. */
function selection(spec: JsonObject, kind: string): Found {
  const found = requiredSelector("spec.selector", spec, kind);
  return isUsableSelector(given(spec, "selector"))
    ? [...found, ...matchesTemplate(spec)]
    : [...found, invalidSelector(spec)];
}

function validateDeployment(object: JsonObject): Found {
  const spec = specOf(object);
  const found: Found = nonNegative("spec.replicas", spec["replicas"]);
  found.push(
    ...selection(spec, "deployment"),
    ...alwaysTemplate(spec),
    ...deploymentStrategy(given(spec, "strategy") ?? {}),
  );
  found.push(...nonNegative("spec.minReadySeconds", spec["minReadySeconds"]));
  found.push(...nonNegative("spec.revisionHistoryLimit", spec["revisionHistoryLimit"]));
  const deadline = number(spec, "progressDeadlineSeconds");
  if (deadline !== undefined) {
    found.push(...nonNegative("spec.progressDeadlineSeconds", deadline));
    if (deadline <= (number(spec, "minReadySeconds") ?? 0))
      found.push(invalidField("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
  }
  return found;
}

function deploymentStrategy(way: JsonObject): Found {
  const type = text(way["type"]);
  const rolling = given(way, "rollingUpdate");
  if (type === "Recreate")
    return rolling === undefined
      ? []
      : [forbiddenField("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")];
  if (type !== "RollingUpdate")
    return [notSupported("spec.strategy", goValue("apps.DeploymentStrategy", way), ["Recreate", "RollingUpdate"])];
  const field = "spec.strategy.rollingUpdate";
  const unavailable = rolling?.["maxUnavailable"];
  const surge = rolling?.["maxSurge"];
  const found: Found = [
    ...intOrPercent(`${field}.maxUnavailable`, unavailable),
    ...intOrPercent(`${field}.maxSurge`, surge),
  ];
  if (isNone(unavailable) && isNone(surge))
    found.push(invalidField(`${field}.maxUnavailable`, unavailable, "may not be 0 when `maxSurge` is 0"));
  return [...found, ...notOverHundred(`${field}.maxUnavailable`, unavailable)];
}

const isNone = (value: JsonObject[string] | undefined): boolean => value === 0 || value === "0%";

function validateReplicaSet(object: JsonObject): Found {
  const spec = specOf(object);
  return [
    ...nonNegative("spec.replicas", spec["replicas"]),
    ...nonNegative("spec.minReadySeconds", spec["minReadySeconds"]),
    ...selection(spec, "deployment"),
    ...alwaysTemplate(spec),
  ];
}

function validateDaemonSet(object: JsonObject): Found {
  const spec = specOf(object);
  const selector = given(spec, "selector");
  const empty = selector !== undefined && isEmpty(selector["matchLabels"]) && isEmpty(selector["matchExpressions"]);
  const found: Found =
    selector === undefined ? [] : requiredSelector("spec.selector", spec, "daemonset").filter(() => !empty);
  found.push(...(isUsableSelector(selector) ? matchesTemplate(spec) : [invalidSelector(spec)]));
  if (empty) found.push(invalidField("spec.selector", {}, "empty selector is invalid for daemonset"));
  found.push(...alwaysTemplate(spec));
  found.push(...nonNegative("spec.minReadySeconds", spec["minReadySeconds"]));
  found.push(...daemonUpdate(given(spec, "updateStrategy") ?? {}));
  found.push(...nonNegative("spec.revisionHistoryLimit", spec["revisionHistoryLimit"]));
  return found;
}

function daemonUpdate(update: JsonObject): Found {
  const type = text(update["type"]);
  if (type === "OnDelete") return [];
  if (type !== "RollingUpdate")
    return [
      notSupported("spec.updateStrategy", goValue("apps.DaemonSetUpdateStrategy", update), [
        "RollingUpdate",
        "OnDelete",
      ]),
    ];
  const field = "spec.updateStrategy.rollingUpdate";
  const rolling = given(update, "rollingUpdate");
  if (rolling === undefined) return [required(field)];
  const unavailable = rolling["maxUnavailable"];
  const surge = rolling["maxSurge"];
  const found: Found = [
    ...intOrPercent(`${field}.maxUnavailable`, unavailable),
    ...intOrPercent(`${field}.maxSurge`, surge),
    ...notOverHundred(`${field}.maxUnavailable`, unavailable),
    ...notOverHundred(`${field}.maxSurge`, surge),
  ];
  if (isNone(unavailable) && isNone(surge))
    found.push(required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  if (!isNone(unavailable) && !isNone(surge))
    found.push(invalidField(`${field}.maxSurge`, surge, "may not be set when maxUnavailable is non-zero"));
  return found;
}

function validateStatefulSet(object: JsonObject): Found {
  const spec = specOf(object);
  const found: Found = [];
  const management = text(spec["podManagementPolicy"]);
  if (management === "") found.push(required("spec.podManagementPolicy"));
  else if (management !== "OrderedReady" && management !== "Parallel")
    found.push(invalidField("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'"));
  found.push(...statefulUpdate(given(spec, "updateStrategy") ?? {}));
  for (const name of ["whenDeleted", "whenScaled"]) {
    const policy = text(given(spec, "persistentVolumeClaimRetentionPolicy")?.[name]);
    if (policy !== "Retain" && policy !== "Delete")
      found.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, policy, ["Retain", "Delete"]));
  }
  found.push(...nonNegative("spec.replicas", spec["replicas"]));
  found.push(...nonNegative("spec.minReadySeconds", spec["minReadySeconds"]));
  found.push(...nonNegative("spec.ordinals.start", given(spec, "ordinals")?.["start"]));
  found.push(...selection(spec, "statefulset"), ...alwaysTemplate(asMember(spec)));
  if (at(spec, "template", "spec", "activeDeadlineSeconds") !== undefined)
    found.push(
      forbiddenField(
        "spec.template.spec.activeDeadlineSeconds",
        "activeDeadlineSeconds in StatefulSet is not Supported",
      ),
    );
  return found;
}

/** With the template as the pods will be: the volumes of their claims, and a name that the controller gives. */
function asMember(spec: JsonObject): JsonObject {
  const template = given(spec, "template") ?? {};
  const pod = given(template, "spec") ?? {};
  const claims = each(spec, "volumeClaimTemplates").map((claim) => text(at(claim, "metadata", "name")));
  const volumes = [
    ...[...new Set(claims)].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...each(pod, "volumes").filter(({ name }) => !claims.includes(text(name))),
  ];
  return { ...spec, template: { ...template, spec: { ...without(pod, "hostname", "subdomain"), volumes } } };
}

const claimTemplates = (spec: JsonObject): Found =>
  each(spec, "volumeClaimTemplates").flatMap((claim, i) =>
    validateClaimSpec(`spec.volumeClaimTemplates[${i}].spec`, given(claim, "spec") ?? {}),
  );

function serviceName(spec: JsonObject): Found {
  const name = text(spec["serviceName"]);
  return name === "" ? [] : told("spec.serviceName", name, labelProblems(name));
}

function statefulUpdate(update: JsonObject): Found {
  const type = text(update["type"]);
  const rolling = given(update, "rollingUpdate");
  if (type === "") return [required("spec.updateStrategy")];
  if (type === "OnDelete")
    return rolling === undefined
      ? []
      : [
          invalidRaw(
            "spec.updateStrategy.rollingUpdate",
            goStruct("apps.RollingUpdateStatefulSetStrategy", rolling),
            "only allowed for updateStrategy 'RollingUpdate'",
          ),
        ];
  if (type === "RollingUpdate")
    return nonNegative("spec.updateStrategy.rollingUpdate.partition", rolling?.["partition"]);
  return [
    invalidRaw(
      "spec.updateStrategy",
      goStruct("apps.StatefulSetUpdateStrategy", update),
      "must be 'RollingUpdate' or 'OnDelete'",
    ),
  ];
}

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function statefulSetUpdate(object: JsonObject, old: JsonObject): Found {
  return same(without(specOf(object), ...changeable), without(specOf(old), ...changeable))
    ? []
    : [
        forbiddenField(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      ];
}
