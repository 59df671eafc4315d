// What all kinds with replicas share: the paths behind `scale`, the selector of the template, and the counts in status.
import { type LabelSelector, matchesSelector, type ScalePaths } from "@telltale/kinds";
import { at, type JsonObject } from "../json.ts";
import { type FieldError, invalidField, required } from "../status.ts";
import { isEmpty, isUsableSelector, labelSelector, nonNegative, oneOf, shownMap, shownSelector } from "./checks.ts";
import { given, number, texts } from "./edit.ts";
import { podTemplate } from "./pod-validation.ts";
import type { Subresource } from "./strategy.ts";

type Found = FieldError[];

export const replicas: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

export const scaleSubresource: Subresource = {
  name: "scale",
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
  verbs: ["get", "patch", "update"],
};

/** A selector that has to be there, and not be empty. `kind` is how the message calls the kind. */
export function requiredSelector(field: string, spec: JsonObject, kind: string): Found {
  const selector = given(spec, "selector");
  if (selector === undefined) return [required(field)];
  const found = labelSelector(field, selector);
  if (isEmpty(selector["matchLabels"]) && isEmpty(selector["matchExpressions"]))
    found.push(invalidField(field, {}, `empty selector is invalid for ${kind}`));
  return found;
}

/** Whether the template's pods are those that the selector selects. */
export function matchesTemplate(spec: JsonObject): Found {
  const selector = given(spec, "selector");
  const labels = texts(given(given(spec, "template"), "metadata"), "labels");
  const empty = selector !== undefined && isEmpty(selector["matchLabels"]) && isEmpty(selector["matchExpressions"]);
  if (empty || (isUsableSelector(selector) && matchesSelector(selector as LabelSelector | undefined, labels)))
    return [];
  return [
    invalidField("spec.template.metadata.labels", shownMap(labels), "`selector` does not match template `labels`"),
  ];
}

/** The template of a workload whose pods run for ever. */
export function alwaysTemplate(spec: JsonObject): Found {
  return [
    ...podTemplate("spec.template", given(spec, "template")),
    ...oneOf("spec.template.spec.restartPolicy", at(spec, "template", "spec", "restartPolicy"), ["Always"]),
  ];
}

export const invalidSelector = (spec: JsonObject): FieldError =>
  invalidField("spec.selector", shownSelector(given(spec, "selector")), "invalid label selector");

/** The counts that a controller reports fit together. */
export function replicaStatus(
  object: JsonObject,
  names: readonly string[] = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
): Found {
  const status = given(object, "status");
  const count = (name: string): number => number(status, name) ?? 0;
  const all = count("replicas");
  const found: Found = ["replicas", ...names, "observedGeneration"].flatMap((name) =>
    nonNegative(`status.${name}`, status?.[name]),
  );
  for (const name of names)
    if (count(name) > all)
      found.push(invalidField(`status.${name}`, count(name), "cannot be greater than status.replicas"));
  if (names.includes("readyReplicas") && count("availableReplicas") > count("readyReplicas"))
    found.push(
      invalidField("status.availableReplicas", count("availableReplicas"), "cannot be greater than readyReplicas"),
    );
  return found;
}
