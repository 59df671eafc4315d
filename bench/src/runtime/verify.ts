// A figure counts only when the work was done: every status must be what the harness derives itself, byte for byte but for
// times, and times must have moved only where a condition flipped.
import { createHash } from "node:crypto";
import { type Condition, canonicalJson } from "@telltale/kinds";
import type { Api } from "./api.ts";
import {
  expectedShelf,
  expectedWidget,
  type ShelfObject,
  seedTime,
  shelvesPath,
  type WidgetObject,
  widgetsPath,
} from "./widgets.ts";

/** The digest of all widgets' statuses; the same for every operator. Fails where one is not as it must be. */
export async function verifyWidgets(api: Api): Promise<string> {
  const hash = createHash("sha256");
  for (const widget of sorted(await api.list<WidgetObject>(widgetsPath))) {
    hash.update(same(widget.metadata.name, widget.status, expectedWidget(widget)));
    for (const { type, lastTransitionTime } of widget.status?.conditions ?? []) {
      const right = type === "Balanced" ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ : new RegExp(`^${seedTime}$`);
      if (!right.test(lastTransitionTime)) {
        const why = "it must move only when the condition flips, and hold whole seconds";
        throw new Error(`${widget.metadata.name}: ${type} has lastTransitionTime ${lastTransitionTime}; ${why}`);
      }
    }
  }
  return hash.digest("hex").slice(0, 16);
}

/** The same for shelves. */
export async function verifyShelves(api: Api): Promise<string> {
  const widgets = Map.groupBy(
    await api.list<WidgetObject>(widgetsPath),
    ({ metadata }) => metadata.ownerReferences?.[0]?.name,
  );
  const hash = createHash("sha256");
  for (const shelf of sorted(await api.list<ShelfObject>(shelvesPath))) {
    const { name } = shelf.metadata;
    hash.update(same(name, shelf.status, expectedShelf(shelf, widgets.get(name) ?? [])));
  }
  return hash.digest("hex").slice(0, 16);
}

function same(
  name: string,
  status: { readonly conditions?: readonly Condition[] } | undefined,
  wanted: object,
): string {
  const untimed = { ...status, conditions: status?.conditions?.map(({ lastTransitionTime: _, ...rest }) => rest) };
  const [is, should] = [canonicalJson(untimed), canonicalJson(wanted)];
  if (is !== should)
    throw new Error(`${name} has the wrong status, so that no figure counts:\n  is     ${is}\n  should ${should}`);
  return `${name} ${is}\n`;
}

function sorted<T extends { readonly metadata: { readonly name: string } }>(objects: readonly T[]): T[] {
  return [...objects].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
