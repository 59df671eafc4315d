import { type Instant, instant } from "@telltale/kinds";
import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { establish, terminating } from "./names.ts";

const now: Instant = instant(Date.UTC(2026, 0, 1));
const later: Instant = instant(Date.UTC(2026, 0, 2));
const t = "2026-01-01T00:00:00Z";
const crd = (plural: string, names: JsonObject, group = "g.io", status: JsonObject = {}): JsonObject => ({
  metadata: { name: `${plural}.${group}` },
  spec: { group, names: { plural, ...names } },
  status,
});
const widgets = crd("widgets", { singular: "widget", kind: "Widget", listKind: "WidgetList" });
const established = { ...widgets, status: establish(widgets, [], now) };
const conditions = (status: JsonObject, type: string) =>
  (status["conditions"] as JsonObject[]).find((c) => c["type"] === type);

test("V37 a CRD with names of its own is established", () => {
  expect(established.status).toEqual({
    acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    conditions: [
      {
        type: "NamesAccepted",
        status: "True",
        lastTransitionTime: t,
        reason: "NoConflicts",
        message: "no conflicts found",
      },
      {
        type: "Established",
        status: "True",
        lastTransitionTime: t,
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
    ],
  });
});

test("V37 the last conflict found is told, and what was free is kept", () => {
  const gadgets = crd("gadgets", { singular: "gadget", kind: "Widget", listKind: "WidgetList", shortNames: ["wd"] });
  const status = establish(gadgets, [established], now);
  expect(status["acceptedNames"]).toEqual({ kind: "", plural: "gadgets", shortNames: ["wd"], singular: "gadget" });
  expect(conditions(status, "NamesAccepted")).toMatchObject({
    status: "False",
    reason: "ListKindConflict",
    message: '"WidgetList" is already in use',
  });
  expect(conditions(status, "Established")).toMatchObject({
    status: "False",
    reason: "NotAccepted",
    message: "not all names are accepted",
  });

  const things = crd("things", { singular: "widget", kind: "Thing", listKind: "ThingList", shortNames: ["widgets"] });
  const other = establish(things, [established], now);
  expect(other["acceptedNames"]).toEqual({ kind: "Thing", listKind: "ThingList", plural: "things" });
  expect(conditions(other, "NamesAccepted")).toMatchObject({
    reason: "ShortNamesConflict",
    message: '"widgets" is already in use',
  });

  const freed = establish({ ...gadgets, status }, [], later);
  expect(conditions(freed, "Established")).toMatchObject({
    status: "True",
    lastTransitionTime: "2026-01-02T00:00:00Z",
  });
  expect(freed["acceptedNames"]).toMatchObject({ kind: "Widget", listKind: "WidgetList" });
});

test("other groups take no names, built-in kinds do", () => {
  const elsewhere = crd("widgets", { singular: "widget", kind: "Widget", listKind: "WidgetList" }, "other.io");
  expect(conditions(establish(elsewhere, [established], now), "NamesAccepted")).toMatchObject({ status: "True" });
  const builtin = { resources: new Set(["widget"]), kinds: new Set<string>() };
  expect(conditions(establish(widgets, [], now, builtin), "NamesAccepted")).toMatchObject({
    reason: "SingularConflict",
  });
});

test("V38 once established, a clash takes neither the state nor the names", () => {
  const rival = crd("rivals", {}, "g.io", { acceptedNames: { plural: "rivals", kind: "Rival", listKind: "Taken" } });
  const renamed = {
    ...established,
    spec: { group: "g.io", names: { plural: "widgets", singular: "w", kind: "Widget", listKind: "Taken" } },
  };
  const status = establish(renamed, [rival], later);
  expect(conditions(status, "Established")).toMatchObject({ status: "True", lastTransitionTime: t });
  expect(status["acceptedNames"]).toEqual({ plural: "widgets", kind: "Widget", singular: "w", listKind: "WidgetList" });
});

test("a community group shows whether it was approved", () => {
  const object = crd("widgets", { kind: "W" }, "x.k8s.io");
  const annotated = {
    ...object,
    metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, x" } },
  };
  expect(conditions(establish(annotated, [], now), "KubernetesAPIApprovalPolicyConformant")).toMatchObject({
    status: "False",
    reason: "UnapprovedAnnotation",
    message: 'not approved: "unapproved, x"',
  });
});

test("a deletion is pending, in progress, done; its time moves with its status", () => {
  const pending = { ...widgets, status: { conditions: terminating(widgets, "pending", now) } };
  const progress = { ...widgets, status: { conditions: terminating(pending, "progress", later) } };
  expect(progress.status.conditions).toEqual([
    {
      type: "Terminating",
      status: "True",
      lastTransitionTime: t,
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    },
  ]);
  expect(terminating(progress, "done", later)).toMatchObject([
    { status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" },
  ]);
});
