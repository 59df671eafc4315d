// Rows of what makes pods, and of what decides how many.
import { type Instant, parseTime } from "@telltale/kinds";
import { at, type Json, type JsonObject, text } from "../json.ts";
import { age, humanDuration } from "./age.ts";
import {
  ageOf,
  containers,
  count,
  few,
  flag,
  items,
  labels,
  nameOf,
  none,
  selector,
  size,
  unknown,
  unset,
  words,
} from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

const template = (o: JsonObject): Json | undefined => at(o, "spec", "template", "spec");

const ofReplicas = (selected: (o: JsonObject) => string): TableForm => ({
  columns: columns(
    "Name:string/name | Desired:integer | Current:integer | Ready:integer | Age | Containers* | Images* | Selector*",
  ),
  row: (o, now) => [
    nameOf(o),
    count(o, "spec", "replicas"),
    count(o, "status", "replicas"),
    count(o, "status", "readyReplicas"),
    ageOf(o, now),
    ...containers(template(o)),
    selected(o),
  ],
});

export const workloadForms: Readonly<Record<string, TableForm>> = {
  "apps/Deployment": {
    columns: columns("Name:string/name | Ready | Up-to-date | Available | Age | Containers* | Images* | Selector*"),
    row: (o, now) => [
      nameOf(o),
      `${count(o, "status", "readyReplicas")}/${count(o, "spec", "replicas")}`,
      count(o, "status", "updatedReplicas"),
      count(o, "status", "availableReplicas"),
      ageOf(o, now),
      ...containers(template(o)),
      selector(at(o, "spec", "selector")),
    ],
  },
  "apps/ReplicaSet": ofReplicas((o) => selector(at(o, "spec", "selector"))),
  "/ReplicationController": ofReplicas((o) => labels(at(o, "spec", "selector"))),
  "apps/StatefulSet": {
    columns: columns("Name:string/name | Ready | Age | Containers* | Images*"),
    row: (o, now) => [
      nameOf(o),
      `${count(o, "status", "readyReplicas")}/${count(o, "spec", "replicas")}`,
      ageOf(o, now),
      ...containers(template(o)),
    ],
  },
  "apps/DaemonSet": {
    columns: columns(
      "Name:string/name | Desired:integer | Current:integer | Ready:integer | Up-to-date:integer | Available:integer | Node Selector | Age | Containers* | Images* | Selector*",
    ),
    row: (o, now) => [
      nameOf(o),
      count(o, "status", "desiredNumberScheduled"),
      count(o, "status", "currentNumberScheduled"),
      count(o, "status", "numberReady"),
      count(o, "status", "updatedNumberScheduled"),
      count(o, "status", "numberAvailable"),
      labels(at(o, "spec", "template", "spec", "nodeSelector")),
      ageOf(o, now),
      ...containers(template(o)),
      selector(at(o, "spec", "selector")),
    ],
  },
  "apps/ControllerRevision": {
    columns: columns("Name:string/name | Controller | Revision | Age"),
    row: (o, now) => [nameOf(o), controllerOf(o), count(o, "revision"), ageOf(o, now)],
  },
  "/PodTemplate": {
    columns: columns("Name:string/name | Containers | Images | Pod Labels"),
    row: (o) => [nameOf(o), ...containers(at(o, "template", "spec")), labels(at(o, "template", "metadata", "labels"))],
  },
  "batch/Job": {
    columns: columns("Name:string/name | Status | Completions | Duration | Age | Containers* | Images* | Selector*"),
    row: (o, now) => [
      nameOf(o),
      jobStatus(o),
      completions(o),
      jobDuration(o, now),
      ageOf(o, now),
      ...containers(template(o)),
      selector(at(o, "spec", "selector")),
    ],
  },
  "batch/CronJob": {
    columns: columns(
      "Name:string/name | Schedule | Timezone | Suspend:boolean | Active:integer | Last Schedule | Age | Containers* | Images* | Selector*",
    ),
    row: (o, now) => {
      const job = at(o, "spec", "jobTemplate", "spec");
      const last = at(o, "status", "lastScheduleTime");
      return [
        nameOf(o),
        words(o, "spec", "schedule"),
        words(o, "spec", "timeZone") || none,
        flag(o, "spec", "suspend") ? "True" : "False",
        size(o, "status", "active"),
        last === undefined || last === null ? none : age(last, now),
        ageOf(o, now),
        ...containers(at(job, "template", "spec")),
        selector(at(job, "selector")),
      ];
    },
  },
  "policy/PodDisruptionBudget": {
    columns: columns("Name:string/name | Min Available | Max Unavailable | Allowed Disruptions:integer | Age"),
    row: (o, now) => [
      nameOf(o),
      orNa(at(o, "spec", "minAvailable")),
      orNa(at(o, "spec", "maxUnavailable")),
      count(o, "status", "disruptionsAllowed"),
      ageOf(o, now),
    ],
  },
  "autoscaling/HorizontalPodAutoscaler": {
    columns: columns("Name:string/name | Reference | Targets | MinPods | MaxPods | Replicas | Age"),
    row: (o, now) => [
      nameOf(o),
      `${words(o, "spec", "scaleTargetRef", "kind")}/${words(o, "spec", "scaleTargetRef", "name")}`,
      targets(o),
      at(o, "spec", "minReplicas") === undefined ? unset : String(count(o, "spec", "minReplicas")),
      count(o, "spec", "maxReplicas"),
      count(o, "status", "currentReplicas"),
      ageOf(o, now),
    ],
  },
};

function controllerOf(o: JsonObject): string {
  const owner = items(o, "metadata", "ownerReferences").find((ref) => flag(ref, "controller"));
  if (owner === undefined) return none;
  const [group = ""] = words(owner, "apiVersion").split("/");
  const kind = words(owner, "kind").toLowerCase();
  return `${words(owner, "apiVersion").includes("/") ? `${kind}.${group}` : kind}/${words(owner, "name")}`;
}

/** What a finished or stopped job says of itself first, then whether it is on its way out. */
function jobStatus(o: JsonObject): string {
  const has = (type: string): boolean =>
    items(o, "status", "conditions").some((c) => words(c, "type") === type && words(c, "status") === "True");
  for (const done of ["Complete", "Failed"]) if (has(done)) return done;
  if (at(o, "metadata", "deletionTimestamp") !== undefined) return "Terminating";
  for (const word of ["Suspended", "FailureTarget", "SuccessCriteriaMet"]) if (has(word)) return word;
  return "Running";
}

function completions(o: JsonObject): string {
  const done = count(o, "status", "succeeded");
  const wanted = at(o, "spec", "completions");
  if (wanted !== undefined) return `${done}/${count(o, "spec", "completions")}`;
  const parallel = count(o, "spec", "parallelism");
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobDuration(o: JsonObject, now: Instant): string {
  const start = parseTime(words(o, "status", "startTime"));
  if (start === undefined) return "";
  return humanDuration((parseTime(words(o, "status", "completionTime")) ?? now) - start);
}

const orNa = (value: Json | undefined): string =>
  value === undefined ? "N/A" : typeof value === "string" ? value : String(value);

/** Current over wanted for each metric, the first two of them. The old version knows the CPU only. */
function targets(o: JsonObject): string {
  const current = items(o, "status", "currentMetrics");
  const all = items(o, "spec", "metrics").map((metric, i) => target(metric, current[i]));
  const cpu = at(o, "spec", "targetCPUUtilizationPercentage");
  if (cpu !== undefined)
    all.unshift(`cpu: ${percent(at(o, "status", "currentCPUUtilizationPercentage"))}/${percent(cpu)}`);
  return all.length === 0 ? none : few(all, 2, ", ");
}

const percent = (value: Json | undefined): string => (value === undefined ? unknown : `${value}%`);

function target(metric: Json, current: Json | undefined): string {
  const type = words(metric, "type");
  const member = type.slice(0, 1).toLowerCase() + type.slice(1);
  const wanted = at(metric, member, "target");
  const now = at(current, member, "current");
  const average = text(at(wanted, "averageValue"));
  const pair = (field: string): string => `${words(now, field) || unknown}/${words(wanted, field)}`;
  switch (type) {
    case "External":
    case "Object":
      return average === "" ? pair("value") : `${pair("averageValue")} (avg)`;
    case "Pods":
      return pair("averageValue");
    case "Resource":
    case "ContainerResource": {
      const of = `${words(metric, member, "name")}: `;
      if (average !== "") return of + pair("averageValue");
      const utilization = at(wanted, "averageUtilization");
      return `${of}${percent(at(now, "averageUtilization"))}/${utilization === undefined ? "<auto>" : percent(utilization)}`;
    }
    default:
      return "<unknown type>";
  }
}
