// The kinds of `batch/v1`. A Job without a selector of its own gets one from its uid.
import { parseCron } from "@telltale/kinds";
import { CronJob, Job } from "@telltale/kinds/builtin";
import { at, type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import {
  domainPathProblems,
  immutable,
  invalidRaw,
  isUsableSelector,
  labelProblems,
  labelSelector,
  nonNegative,
  oneOf,
  same,
  shownSelector,
  told,
} from "./checks.ts";
import { child, each, fill, filled, fillZero, given, number, texts } from "./edit.ts";
import { goStruct, goTemplate } from "./go-shape.ts";
import { fillPodTemplate } from "./pod-defaults.ts";
import { podTemplate } from "./pod-validation.ts";
import { jobWarnings, ownerWarnings } from "./pod-warnings.ts";
import { matchesTemplate } from "./replicas.ts";
import { namesZone, scheduleProblem } from "./schedule.ts";
import { keeping, type Strategy, strategy, without } from "./strategy.ts";

type Found = FieldError[];

const specOf = (object: JsonObject): JsonObject => given(object, "spec") ?? {};

export const batchStrategies: readonly Strategy[] = [
  strategy(Job, "batch.Job", {
    tracksGeneration: true,
    defaultPropagation: "Orphan",
    default: filled(fillJob),
    prepareCreate: (job, { uid }) => labelled(withSelector(without(job, "status"), uid)),
    prepareUpdate: (job, old) => labelled(keeping(job, old, "status")),
    validate: (job) => [...validateJob(job), ...indexedName(job)],
    validateUpdate: (job, old) => [...validateJob(job), ...jobUpdate(specOf(job), specOf(old), old)],
    warnings: ownerWarnings((job) => jobWarnings("spec", specOf(job))),
    fields: {
      names: ["status.successful"],
      read: (job) => ({ "status.successful": String(number(given(job, "status"), "succeeded") ?? 0) }),
      refuse: (key) => `field label ${JSON.stringify(key)} not supported for Job`,
    },
  }),
  strategy(CronJob, "batch.CronJob", {
    tracksGeneration: true,
    default: filled((cron) => {
      const spec = child(cron, "spec");
      fillPodTemplate(child(child(spec, "jobTemplate"), "spec"));
      fillZero(spec, "concurrencyPolicy", "Allow");
      fill(spec, "suspend", false);
      fill(spec, "successfulJobsHistoryLimit", 3);
      fill(spec, "failedJobsHistoryLimit", 1);
    }),
    validate: (cron) => validateCronJob(cron, undefined),
    validateUpdate: (cron, old) => validateCronJob(cron, old),
    warnings: (cron, old) => [
      ...ownerWarnings((it) => jobWarnings("spec.jobTemplate.spec", given(given(specOf(it), "jobTemplate"), "spec")))(
        cron,
        old,
      ),
      ...(old !== undefined && text(specOf(cron)["schedule"]).includes("TZ") ? [zoneWarning] : []),
    ],
  }),
];

const zoneWarning =
  "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

function fillJob(job: JsonObject): void {
  const spec = child(job, "spec");
  fillPodTemplate(spec);
  if (spec["completions"] === undefined && spec["parallelism"] === undefined) {
    spec["completions"] = 1;
    spec["parallelism"] = 1;
  }
  fill(spec, "parallelism", 1);
  fill(spec, "backoffLimit", number(spec, "backoffLimitPerIndex") === undefined ? 6 : 2_147_483_647);
  fill(spec, "completionMode", "NonIndexed");
  fill(spec, "suspend", false);
  const policy = given(spec, "podFailurePolicy");
  fill(spec, "podReplacementPolicy", policy === undefined ? "TerminatingOrFailed" : "Failed");
  fill(spec, "manualSelector", false);
  for (const rule of each(policy, "rules"))
    for (const pattern of each(rule, "onPodConditions")) fillZero(pattern, "status", "True");
}

const uidLabel = "batch.kubernetes.io/controller-uid";

/** Labels that no other Job's pods have, and the selector for them. */
function withSelector(job: JsonObject, uid: string): JsonObject {
  const spec = specOf(job);
  const template = given(spec, "template") ?? {};
  const metadata = given(template, "metadata") ?? {};
  const before = texts(metadata, "labels");
  const name = text(at(job, "metadata", "name"));
  const labels: JsonObject = { ...before };
  if (spec["manualSelector"] !== true)
    Object.assign(labels, {
      [uidLabel]: uid,
      "batch.kubernetes.io/job-name": name,
      "controller-uid": uid,
      "job-name": name,
    });
  if (Object.keys(labels).length === 0) return job;
  const selector = given(spec, "selector");
  return {
    ...job,
    spec: {
      ...spec,
      ...(spec["manualSelector"] === true
        ? {}
        : { selector: { ...selector, matchLabels: { ...given(selector, "matchLabels"), [uidLabel]: uid } } }),
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

/** A Job without labels of its own has those of its pods. */
function labelled(job: JsonObject): JsonObject {
  const labels = texts(given(given(specOf(job), "template"), "metadata"), "labels");
  if (labels === undefined || texts(given(job, "metadata"), "labels") !== undefined) return job;
  return { ...job, metadata: { ...given(job, "metadata"), labels } };
}

/** The pods of an Indexed Job are called after it, with their index. */
function indexedName(job: JsonObject): Found {
  const spec = specOf(job);
  const completions = number(spec, "completions") ?? 0;
  if (spec["completionMode"] !== "Indexed" || completions <= 0) return [];
  const name = text(at(job, "metadata", "name"));
  const last = `${name}-${completions - 1}`;
  return labelProblems(last).length === 0
    ? []
    : [invalidField("metadata.name", name, `will not able to create pod with invalid DNS label: ${last}`)];
}

function validateJob(job: JsonObject): Found {
  const spec = specOf(job);
  const selector = given(spec, "selector");
  const found: Found = [];
  if (spec["manualSelector"] !== true && selector !== undefined) {
    const expected = { matchLabels: { [uidLabel]: text(at(job, "metadata", "uid")) } };
    const shown = shownSelector(selector);
    const old = { matchLabels: { "controller-uid": text(at(job, "metadata", "uid")) } };
    if (!same(shown, expected) && !same(shown, old))
      found.push(invalidField("spec.selector", shown, "`selector` not auto-generated"));
  }
  found.push(...jobSpec("spec", spec));
  if (selector === undefined) found.push(required("spec.selector"));
  else found.push(...labelSelector("spec.selector", selector));
  if (isUsableSelector(selector) && selector !== undefined) found.push(...matchesTemplate(spec));
  return found;
}

const restart = 'valid values: "OnFailure", "Never"';

function jobSpec(field: string, spec: JsonObject): Found {
  const found: Found = [];
  for (const name of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ])
    found.push(...nonNegative(`${field}.${name}`, spec[name]));
  const indexed = spec["completionMode"] === "Indexed";
  if (spec["maxFailedIndexes"] !== undefined && spec["backoffLimitPerIndex"] === undefined)
    found.push(required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  const by = text(spec["managedBy"]);
  if (by !== "") found.push(...told(`${field}.managedBy`, by, domainPathProblems(by)));
  if (spec["completionMode"] !== undefined) {
    found.push(...oneOf(`${field}.completionMode`, spec["completionMode"], ["NonIndexed", "Indexed"]));
    if (indexed && spec["completions"] === undefined)
      found.push(required(`${field}.completions`, "when completion mode is Indexed"));
  }
  if (!indexed && spec["backoffLimitPerIndex"] !== undefined)
    found.push(
      invalidField(`${field}.backoffLimitPerIndex`, spec["backoffLimitPerIndex"], "requires indexed completion mode"),
    );
  if (!indexed && spec["maxFailedIndexes"] !== undefined)
    found.push(invalidField(`${field}.maxFailedIndexes`, spec["maxFailedIndexes"], "requires indexed completion mode"));
  const policy = given(spec, "podFailurePolicy");
  if (spec["podReplacementPolicy"] !== undefined)
    found.push(
      ...oneOf(
        `${field}.podReplacementPolicy`,
        spec["podReplacementPolicy"],
        policy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
      ),
    );
  found.push(...podTemplate(`${field}.template`, given(spec, "template")));
  const policyOf = at(spec, "template", "spec", "restartPolicy");
  if (policyOf === "Always" || text(policyOf) === "")
    found.push(required(`${field}.template.spec.restartPolicy`, restart));
  else if (policyOf !== "OnFailure" && policyOf !== "Never")
    found.push(notSupported(`${field}.template.spec.restartPolicy`, policyOf, ["OnFailure", "Never"]));
  else if (policy !== undefined && policyOf !== "Never")
    found.push(
      invalidField(
        `${field}.template.spec.restartPolicy`,
        policyOf,
        'only "Never" is supported when podFailurePolicy is specified',
      ),
    );
  return found;
}

function jobUpdate(spec: JsonObject, old: JsonObject, oldJob: JsonObject): Found {
  const found: Found = [];
  const kept = (name: string): boolean => same(spec[name], old[name]);
  if (!kept("completions")) {
    if (spec["completionMode"] !== "Indexed") found.push(immutable("spec.completions", spec["completions"]));
    else if (spec["completions"] !== spec["parallelism"])
      found.push(
        invalidField("spec.completions", spec["completions"], "can only be modified in tandem with spec.parallelism"),
      );
  }
  if (!kept("selector")) found.push(immutable("spec.selector", shownSelector(given(spec, "selector"))));
  if (!templateKept(spec, old, oldJob))
    found.push(invalidRaw("spec.template", goTemplate(given(spec, "template") ?? {}), "field is immutable"));
  if (!kept("completionMode")) found.push(immutable("spec.completionMode", spec["completionMode"]));
  const policy = given(spec, "podFailurePolicy");
  if (!kept("podFailurePolicy") || (policy === undefined) !== (given(old, "podFailurePolicy") === undefined))
    found.push(
      policy === undefined
        ? immutable("spec.podFailurePolicy", undefined)
        : invalidRaw("spec.podFailurePolicy", goStruct("batch.PodFailurePolicy", policy), "field is immutable"),
    );
  for (const name of ["backoffLimitPerIndex", "managedBy", "successPolicy"])
    if (!kept(name)) found.push(immutable(`spec.${name}`, spec[name]));
  return found;
}

/** A Job that has never run may still be told where to run. */
function templateKept(spec: JsonObject, old: JsonObject, oldJob: JsonObject): boolean {
  const held = old["suspend"] === true && at(oldJob, "status", "startTime") === undefined;
  if (!held) return same(spec["template"], old["template"]);
  const fixed = (s: JsonObject): JsonObject => {
    const template = given(s, "template") ?? {};
    const pod = without(given(template, "spec") ?? {}, "nodeSelector", "affinity", "tolerations", "schedulingGates");
    const containers = [...each(pod, "containers"), ...each(pod, "initContainers")].map((c) => without(c, "resources"));
    return { containers, ...without(pod, "containers", "initContainers") };
  };
  return same(fixed(spec), fixed(old));
}

function validateCronJob(cron: JsonObject, old: JsonObject | undefined): Found {
  const spec = specOf(cron);
  const schedule = text(spec["schedule"]);
  const found: Found = schedule === "" ? [required("spec.schedule")] : [];
  if (schedule !== "") {
    const unchanged = old !== undefined && text(specOf(old)["schedule"]) === schedule;
    const problem = namesZone(schedule)
      ? unchanged
        ? undefined
        : "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
      : scheduleProblem(schedule);
    if (problem !== undefined) found.push(invalidField("spec.schedule", schedule, problem));
  }
  found.push(...nonNegative("spec.startingDeadlineSeconds", spec["startingDeadlineSeconds"]));
  const zone = spec["timeZone"];
  if (typeof zone === "string" && !(old !== undefined && specOf(old)["timeZone"] === zone))
    found.push(...timeZone(zone));
  const concurrency = text(spec["concurrencyPolicy"]);
  if (concurrency === "") found.push(required("spec.concurrencyPolicy"));
  else found.push(...oneOf("spec.concurrencyPolicy", concurrency, ["Allow", "Forbid", "Replace"]));
  const template = given(given(spec, "jobTemplate"), "spec") ?? {};
  found.push(...jobSpec("spec.jobTemplate.spec", template));
  if (template["manualSelector"] === true)
    found.push(notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  found.push(...nonNegative("spec.successfulJobsHistoryLimit", spec["successfulJobsHistoryLimit"]));
  found.push(...nonNegative("spec.failedJobsHistoryLimit", spec["failedJobsHistoryLimit"]));
  const name = text(at(cron, "metadata", "name"));
  // Its Jobs are called after it, with eleven characters more.
  if (old === undefined && name.length > 52)
    found.push(invalidField("metadata.name", name, "must be no more than 52 characters"));
  return found;
}

function timeZone(zone: string): Found {
  const field = "spec.timeZone";
  if (zone === "") return [invalidField(field, zone, "timeZone must be nil or non-empty string")];
  const found: Found = [];
  if (zone.toLowerCase() === "local")
    found.push(
      invalidField(field, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"),
    );
  if (zone !== "Local" && "error" in parseCron("* * * * *", zone))
    found.push(invalidField(field, zone, `unknown time zone ${zone}`));
  return found;
}
