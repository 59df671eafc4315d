// HorizontalPodAutoscaler between autoscaling/v1 and v2. What v1 has no field for travels in annotations, as upstream does it.
import { isObject, type Json, type JsonObject, text } from "../json.ts";
import { each, given, list, number } from "./edit.ts";
import { goValue } from "./go-shape.ts";

export const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const currentAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const all = [metricsAnnotation, behaviorAnnotation, conditionsAnnotation, currentAnnotation];

export function toV1(object: JsonObject): JsonObject {
  const { metrics: _, behavior, ...spec } = given(object, "spec") ?? {};
  const metrics = each(given(object, "spec"), "metrics");
  const status = given(object, "status");
  const cpu = metrics.find(isCpuShare);
  const others = metrics.filter((metric) => metric !== cpu);
  const current = each(status, "currentMetrics");
  const extra: JsonObject = {};
  if (others.length > 0) extra[metricsAnnotation] = JSON.stringify(others.map(flatMetric));
  if (isObject(behavior)) extra[behaviorAnnotation] = JSON.stringify(behaviorOut(behavior));
  if (list(status, "conditions").length > 0) extra[conditionsAnnotation] = JSON.stringify(status?.["conditions"]);
  if (current.length > 0) extra[currentAnnotation] = JSON.stringify(current.map(flatCurrent));
  const share = given(given(cpu, "resource"), "target")?.["averageUtilization"];
  return {
    ...annotated(object, extra),
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    spec: { ...spec, ...(share === undefined ? {} : { targetCPUUtilizationPercentage: share }) },
    ...(status === undefined ? {} : { status: statusV1(status, current) }),
  };
}

export function toV2(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: share, ...spec } = given(object, "spec") ?? {};
  const annotations = given(given(object, "metadata"), "annotations");
  const metrics: Json[] = [];
  if (share !== undefined)
    metrics.push({
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: share } },
    });
  metrics.push(...parsed(annotations, metricsAnnotation).map(deepMetric));
  const behavior = readObject(text(annotations?.[behaviorAnnotation]));
  const status = given(object, "status");
  return {
    ...annotated(object, {}),
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    spec: {
      ...spec,
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(behavior === undefined ? {} : { behavior: behaviorIn(behavior) }),
    },
    ...(status === undefined ? {} : { status: statusV2(status, annotations) }),
  };
}

function statusV1(status: JsonObject, current: readonly JsonObject[]): JsonObject {
  const { conditions: _, currentMetrics: __, ...rest } = status;
  const cpu = current.find((metric) => metric["type"] === "Resource" && given(metric, "resource")?.["name"] === "cpu");
  const share = number(given(given(cpu, "resource"), "current"), "averageUtilization");
  return { ...rest, ...(share === undefined ? {} : { currentCPUUtilizationPercentage: share }) };
}

function statusV2(status: JsonObject, annotations: JsonObject | undefined): JsonObject {
  const { currentCPUUtilizationPercentage: share, ...rest } = status;
  const conditions = parsed(annotations, conditionsAnnotation);
  let current: JsonObject[] = parsed(annotations, currentAnnotation).map(deepCurrent);
  if (share !== undefined && current.length === 0)
    current = [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: share } } }];
  return {
    ...rest,
    ...(current.length > 0 ? { currentMetrics: current } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** The object with its own annotations for what the version cannot say, and with no others of that kind. */
function annotated(object: JsonObject, extra: JsonObject): JsonObject {
  const metadata = given(object, "metadata") ?? {};
  const kept = Object.entries(given(metadata, "annotations") ?? {}).filter(([name]) => !all.includes(name));
  const annotations = { ...Object.fromEntries(kept), ...extra };
  const { annotations: _, ...rest } = metadata;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? rest : { ...rest, annotations } };
}

function isCpuShare(metric: JsonObject): boolean {
  const resource = given(metric, "resource");
  return (
    metric["type"] === "Resource" &&
    resource?.["name"] === "cpu" &&
    given(resource, "target")?.["averageUtilization"] !== undefined
  );
}

const some = (members: Record<string, Json | undefined>): JsonObject => {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value;
  return kept;
};

const sourceName = (metric: JsonObject): string => {
  const type = text(metric["type"]);
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
};

/** A metric as v1 writes it into its annotation: targets are members of the source. */
function flatMetric(metric: JsonObject): JsonObject {
  const name = sourceName(metric);
  const source = given(metric, name) ?? {};
  const target = given(source, "target") ?? {};
  const about = given(source, "metric");
  const flat = {
    resource: {
      name: source["name"],
      targetAverageUtilization: target["averageUtilization"],
      targetAverageValue: target["averageValue"],
    },
    containerResource: {
      name: source["name"],
      targetAverageUtilization: target["averageUtilization"],
      targetAverageValue: target["averageValue"],
      container: source["container"],
    },
    pods: { metricName: about?.["name"], targetAverageValue: target["averageValue"], selector: about?.["selector"] },
    object: {
      target: source["describedObject"],
      metricName: about?.["name"],
      targetValue: target["value"] ?? "0",
      selector: about?.["selector"],
      averageValue: target["averageValue"],
    },
    external: {
      metricName: about?.["name"],
      metricSelector: about?.["selector"],
      targetValue: target["value"],
      targetAverageValue: target["averageValue"],
    },
  }[name];
  return { type: text(metric["type"]), [name]: some(flat ?? {}) };
}

function deepMetric(metric: JsonObject): JsonObject {
  const name = sourceName(metric);
  const flat = given(metric, name) ?? {};
  const share = flat["targetAverageUtilization"];
  const average = flat["targetAverageValue"] ?? flat["averageValue"];
  const value = name === "object" && average !== undefined ? undefined : flat["targetValue"];
  const type = share !== undefined ? "Utilization" : value !== undefined ? "Value" : "AverageValue";
  const target = some({ type, value, averageValue: average, averageUtilization: share });
  const about = some({ name: flat["metricName"], selector: flat["selector"] ?? flat["metricSelector"] });
  const source =
    name === "resource" || name === "containerResource"
      ? some({ name: flat["name"], container: flat["container"], target })
      : some({ describedObject: name === "object" ? flat["target"] : undefined, metric: about, target });
  return { type: text(metric["type"]), [name]: source };
}

function flatCurrent(metric: JsonObject): JsonObject {
  const name = sourceName(metric);
  const source = given(metric, name) ?? {};
  const current = given(source, "current") ?? {};
  const about = given(source, "metric");
  const flat = {
    name: source["name"],
    container: source["container"],
    target: source["describedObject"],
    metricName: about?.["name"],
    currentAverageUtilization: current["averageUtilization"],
    currentAverageValue: current["averageValue"],
    currentValue: current["value"],
    selector: about?.["selector"],
  };
  return { type: text(metric["type"]), [name]: some(flat) };
}

function deepCurrent(metric: JsonObject): JsonObject {
  const name = sourceName(metric);
  const flat = given(metric, name) ?? {};
  const current = some({
    averageUtilization: flat["currentAverageUtilization"],
    averageValue: flat["currentAverageValue"],
    value: flat["currentValue"],
  });
  const about = some({ name: flat["metricName"], selector: flat["selector"] });
  const source = some({
    name: flat["name"],
    container: flat["container"],
    describedObject: flat["target"],
    metric: Object.keys(about).length === 0 ? undefined : about,
    current,
  });
  return { type: text(metric["type"]), [name]: source };
}

/** Behavior travels as upstream's internal type. */
function behaviorOut(behavior: JsonObject): Json {
  const rules = (name: string): Json => {
    const side = given(behavior, name);
    if (side === undefined) return null;
    return {
      StabilizationWindowSeconds: side["stabilizationWindowSeconds"] ?? null,
      SelectPolicy: side["selectPolicy"] ?? null,
      Policies: goValue("policies", side["policies"]),
      Tolerance: side["tolerance"] ?? null,
    };
  };
  return { ScaleUp: rules("scaleUp"), ScaleDown: rules("scaleDown") };
}

function behaviorIn(behavior: JsonObject): JsonObject {
  const rules = (name: string): JsonObject | undefined => {
    const side = given(behavior, name);
    if (side === undefined) return undefined;
    const policies = each(side, "Policies").map((p) =>
      some({ type: p["Type"], value: p["Value"], periodSeconds: p["PeriodSeconds"] }),
    );
    const present = (value: Json | undefined): Json | undefined => (value === null ? undefined : value);
    return some({
      stabilizationWindowSeconds: present(side["StabilizationWindowSeconds"]),
      selectPolicy: present(side["SelectPolicy"]),
      policies: policies.length === 0 ? undefined : policies,
      tolerance: present(side["Tolerance"]),
    });
  };
  return some({ scaleUp: rules("ScaleUp"), scaleDown: rules("ScaleDown") });
}

/** An annotation that a user can write anything into; what is not a list of objects counts as none. */
function parsed(annotations: JsonObject | undefined, name: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(text(annotations?.[name]) || "[]");
    return Array.isArray(value) ? value.filter(isObject) : [];
  } catch {
    return [];
  }
}

function readObject(json: string): JsonObject | undefined {
  if (json === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
