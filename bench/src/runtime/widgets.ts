// What the objects of the bench look like, and what their status must be: the harness's own derivation, which every
// operator's is held against.
import type { Condition } from "@telltale/kinds";
import { group, Shelf, Widget } from "./kinds.ts";

export const namespace = "bench";
/** Watched by an operator that has nothing to do. */
export const emptyNamespace = "empty";
export const shelfCount = 100;
export const seedTime = "2026-01-01T00:00:00Z";

export interface WidgetObject {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly spec: { readonly size: number; readonly parts: readonly { readonly weight: number }[] };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

export interface ShelfObject {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly ready?: number;
    readonly widgets?: number;
    readonly conditions?: readonly Condition[];
  };
}

export const widgetName = (index: number): string => `widget-${String(index).padStart(6, "0")}`;
export const shelfName = (index: number): string => `shelf-${String(index).padStart(3, "0")}`;

const root = `/apis/${group}/v1`;
export const widgetsPath = `${root}/namespaces/${namespace}/${Widget.plural}`;
export const shelvesPath = `${root}/namespaces/${namespace}/${Shelf.plural}`;

/** About 4 KB as the server stores it, more than half of it managedFields. */
export function widget(index: number, owner: { readonly name: string; readonly uid: string }): object {
  const colours = ["red", "green", "blue", "steel"] as const;
  const ownerReferences = [
    { apiVersion: `${group}/v1`, kind: Shelf.kind, name: owner.name, uid: owner.uid, controller: true },
  ];
  return {
    apiVersion: `${group}/v1`,
    kind: Widget.kind,
    metadata: { name: widgetName(index), labels: { app: "widget", tier: `tier-${index % 7}` }, ownerReferences },
    spec: {
      size: 2 * (index % 500),
      image: `images.example.com/widgets/maker:v1.${index % 40}`,
      parts: Array.from({ length: 4 }, (_, at) => ({
        name: `part-${at}`,
        colour: colours[(index + at) % colours.length],
        weight: 10 + ((index * 7 + at) % 90),
      })),
      settings: { region: `region-${index % 5}`, grade: "standard", note: "as ordered by the customer" },
    },
  };
}

export const shelf = (index: number): object => ({
  apiVersion: `${group}/v1`,
  kind: Shelf.kind,
  metadata: { name: shelfName(index) },
  spec: { room: `room-${index % 10}` },
});

type Untimed = Omit<Condition, "lastTransitionTime">;

/** What an operator has to say of a widget, but for times. */
export function expectedWidget({ metadata, spec }: WidgetObject): {
  observedGeneration: number;
  conditions: Untimed[];
} {
  const { generation } = metadata;
  const { size, parts } = spec;
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  const even = size % 2 === 0;
  const said: readonly [string, boolean, string, string][] = [
    ["Ready", true, "Made", `The widget of size ${size} is made`],
    ["Accepted", true, "Valid", "The spec is valid"],
    ["Sized", true, "Fits", `Size ${size} of at most 1000000`],
    ["Stocked", true, "InStock", `${parts.length} parts weigh ${weight} together`],
    ["Balanced", even, even ? "Even" : "Odd", `Size ${size} leaves ${size % 2} over`],
  ];
  return {
    observedGeneration: generation,
    conditions: said.map(([type, holds, reason, message]) => ({
      type,
      status: holds ? "True" : "False",
      observedGeneration: generation,
      reason,
      message,
    })),
  };
}

/** What an operator has to say of a shelf, but for times. */
export function expectedShelf({ metadata }: ShelfObject, widgets: readonly WidgetObject[]): object {
  const { generation } = metadata;
  const total = widgets.length;
  const ready = widgets.filter((one) => isReady(one)).length;
  const [reason, message] =
    total === 0
      ? ["NoChildren", "No widgets found for this shelf"]
      : ready === total
        ? ["AllReady", `All ${total} widgets are ready`]
        : ready > 0
          ? ["PartiallyReady", `${ready}/${total} widgets are ready`]
          : ["NotReady", "No widgets are ready"];
  const status = total > 0 && ready === total ? "True" : "False";
  return {
    observedGeneration: generation,
    widgets: total,
    ready,
    conditions: [{ type: "Ready", status, observedGeneration: generation, reason, message }],
  };
}

export const isReady = (one: WidgetObject): boolean =>
  one.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
