// HorizontalPodAutoscaler in both versions. v2 is what is stored and validated; v1 is a view of it.
import { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from "@telltale/kinds/builtin";
import { type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import { isEmpty, oneOf } from "./checks.ts";
import { child, each, fill, filled, fillZero, given, list, number } from "./edit.ts";
import { metricsAnnotation, toV2 } from "./hpa-conversion.ts";
import { type Strategy, strategy } from "./strategy.ts";

type Found = FieldError[];

export const autoscalingStrategies: readonly Strategy[] = [
  strategy(HorizontalPodAutoscaler, "autoscalingv2.HorizontalPodAutoscaler", {
    default: filled((object) => fillV2(child(object, "spec"))),
    validate: validateV2,
  }),
  strategy(HorizontalPodAutoscalerV1, "autoscaling.HorizontalPodAutoscaler", {
    default: filled((object) => {
      const spec = child(object, "spec");
      fill(spec, "minReplicas", 1);
      const metrics = text(given(given(object, "metadata"), "annotations")?.[metricsAnnotation]);
      if (metrics === "") fill(spec, "targetCPUUtilizationPercentage", 80);
    }),
    validate: (object) => validateV2(toV2(object)),
  }),
];

function fillV2(spec: JsonObject): void {
  fill(spec, "minReplicas", 1);
  if (list(spec, "metrics").length === 0)
    spec["metrics"] = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
  const behavior = given(spec, "behavior");
  if (behavior === undefined) return;
  const up = child(behavior, "scaleUp");
  fill(up, "stabilizationWindowSeconds", 0);
  fillRules(up, [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ]);
  fillRules(child(behavior, "scaleDown"), [{ type: "Percent", value: 100, periodSeconds: 15 }]);
}

function fillRules(rules: JsonObject, policies: JsonObject[]): void {
  fillZero(rules, "selectPolicy", "Max");
  if (list(rules, "policies").length === 0) rules["policies"] = policies;
}

function validateV2(object: JsonObject): Found {
  const spec = given(object, "spec") ?? {};
  const found: Found = [];
  const least = number(spec, "minReplicas");
  const most = number(spec, "maxReplicas") ?? 0;
  if (least !== undefined && least < 1)
    found.push(invalidField("spec.minReplicas", least, "must be greater than or equal to 1"));
  if (most < 1) found.push(required("spec.maxReplicas", "must be set and greater than 0"));
  if (least !== undefined && most < least && most >= 1)
    found.push(invalidField("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"));
  found.push(...target(given(spec, "scaleTargetRef") ?? {}));
  for (const [i, metric] of each(spec, "metrics").entries()) found.push(...oneMetric(`spec.metrics[${i}]`, metric));
  const external = each(spec, "metrics").some((m) => m["type"] === "Object" || m["type"] === "External");
  if (least === 0 && !external)
    found.push(
      forbiddenField(
        "spec.metrics",
        "must specify at least one Object or External metric to support scaling to zero replicas",
      ),
    );
  return found;
}

function target(reference: JsonObject): Found {
  const found: Found = [];
  if (text(reference["kind"]) === "") found.push(required("spec.scaleTargetRef.kind"));
  if (text(reference["name"]) === "") found.push(required("spec.scaleTargetRef.name"));
  const version = text(reference["apiVersion"]);
  if (version === "")
    found.push(invalidField("spec.scaleTargetRef.apiVersion", version, "apiVersion must specify API group"));
  return found;
}

const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];

function oneMetric(field: string, metric: JsonObject): Found {
  const type = text(metric["type"]);
  const unknown = oneOf(`${field}.type`, type, types);
  if (type === "") unknown.unshift(required(`${field}.type`, "must specify a metric source type"));
  if (unknown.length > 0) return unknown;
  const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const source = given(metric, name);
  if (source === undefined)
    return [required(`${field}.${name}`, "must populate information for the given metric source")];
  const path = `${field}.${name}`;
  const found: Found = [];
  const goal = given(source, "target") ?? {};
  if (type === "Resource" || type === "ContainerResource") {
    if (text(source["name"]) === "") found.push(required(`${path}.name`, "must specify a resource name"));
    if (type === "ContainerResource" && text(source["container"]) === "")
      found.push(required(`${path}.container`, "must specify a container"));
    found.push(...goalOf(`${path}.target`, goal));
    const share = goal["averageUtilization"];
    if (share === undefined && isEmpty(goal["averageValue"]))
      found.push(
        required(`${path}.target.averageUtilization`, "must set either a target raw value or a target utilization"),
      );
    if (share !== undefined && !isEmpty(goal["averageValue"]))
      found.push(
        forbiddenField(`${path}.target.averageValue`, "may not set both a target raw value and a target utilization"),
      );
    return found;
  }
  if (text(given(source, "metric")?.["name"]) === "")
    found.push(required(`${path}.metric.name`, "must specify a metric name"));
  found.push(...goalOf(`${path}.target`, goal));
  if (type === "Pods" && isEmpty(goal["averageValue"]))
    found.push(required(`${path}.target.averageValue`, "must specify a positive target averageValue"));
  return found;
}

function goalOf(field: string, goal: JsonObject): Found {
  const type = text(goal["type"]);
  const found: Found = [];
  if (type === "") found.push(required(`${field}.type`, "must specify a metric target type"));
  else if (!["Utilization", "Value", "AverageValue"].includes(type))
    found.push(invalidField(`${field}.type`, type, "must be either Utilization, Value, or AverageValue"));
  const share = number(goal, "averageUtilization");
  if (share !== undefined && share < 1)
    found.push(invalidField(`${field}.averageUtilization`, share, "must be greater than 0"));
  return found;
}
