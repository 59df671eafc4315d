// W5: the children of a hundred parents stop being ready, one after the other, ten parents at a time; the parents sum up.
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../table.ts";
import type { Figures, Scene } from "../scene.ts";
import { isReady, type ShelfObject, shelfCount, shelvesPath, type WidgetObject, widgetsPath } from "../widgets.ts";

const rate = 60;
const abreast = 10;

export async function childFlips(scene: Scene): Promise<Figures> {
  const { api } = scene.stage;
  const shelves = new Map<string, Row>();
  for (const widget of await api.list<WidgetObject>(widgetsPath)) {
    const shelf = widget.metadata.ownerReferences?.[0]?.name ?? "";
    const row = shelves.get(shelf) ?? { ready: 0, widgets: [], waiting: [] };
    row.widgets.push(widget);
    if (isReady(widget)) row.ready += 1;
    shelves.set(shelf, row);
  }
  const lags: number[] = [];
  const following = await api.follow<ShelfObject>(shelvesPath, ({ metadata, status }, at) => {
    const row = shelves.get(metadata.name);
    const ready = status?.ready;
    if (row === undefined || ready === undefined) return;
    row.said = ready;
    // Ready ones only become fewer, so that a count tells how far its parent has seen.
    while (row.waiting[0] !== undefined && row.waiting[0].ready >= ready) {
      lags.push(at - row.waiting[0].since);
      row.waiting.shift();
    }
  });
  const operator = scene.launch({ mode: "shelves" });
  try {
    const settled = () => {
      following.check();
      return [...shelves.values()].every(({ said, ready }) => said === ready) || undefined;
    };
    await operator.until("every shelf has its first status", settled);
    await sleep(1_000);
    const reconciled = await operator.count();
    const flips = flipsOf([...shelves.values()], scene.options.flips);
    const costs = await scene.charge(operator, async () => {
      await flip(scene, flips);
      await operator.until("every shelf knows its widgets", settled);
    });
    return {
      ...costs,
      flips: flips.length,
      lag50: percentile(lags, 0.5),
      lag99: percentile(lags, 0.99),
      writesPerFlip: (costs["statusWrites"] ?? Number.NaN) / flips.length,
      reconcilesPerFlip: ((await operator.count()) - reconciled) / flips.length,
      cpuPer10000: ((costs["cpu"] ?? Number.NaN) / flips.length) * 10, // s
      apiserverCpuPer10000: ((costs["apiserverCpu"] ?? Number.NaN) / flips.length) * 10,
    };
  } finally {
    following.stop();
    await operator.stop();
  }
}

interface Row {
  /** How many are ready, as the driver has it. */
  ready: number;
  /** How many the parent last said. */
  said?: number;
  readonly widgets: WidgetObject[];
  readonly waiting: { readonly ready: number; readonly since: number }[];
}

/** Ten shelves at a time, in turn, until none of their widgets is left; as when machines go down one after the other. */
function flipsOf(shelves: readonly Row[], count: number): { readonly row: Row; readonly widget: WidgetObject }[] {
  const order: { row: Row; widget: WidgetObject }[] = [];
  for (let from = 0; from < shelfCount; from += abreast) {
    const group = shelves.slice(from, from + abreast);
    const most = Math.max(0, ...group.map(({ widgets }) => widgets.length));
    for (let at = 0; at < most; at += 1) {
      for (const row of group) {
        const widget = row.widgets[at];
        if (widget !== undefined) order.push({ row, widget });
      }
    }
  }
  return order.slice(0, count);
}

async function flip(
  scene: Scene,
  flips: readonly { readonly row: Row; readonly widget: WidgetObject }[],
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  const begin = performance.now() + 50;
  for (const [i, { row, widget }] of flips.entries()) {
    const due = begin + (i * 1_000) / rate;
    const ahead = due - performance.now();
    if (ahead > 0) await sleep(ahead);
    row.ready -= 1;
    row.waiting.push({ ready: row.ready, since: due });
    const lastTransitionTime = `${new Date().toISOString().slice(0, 19)}Z`;
    const conditions = widget.status?.conditions?.map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False", reason: "Refused", lastTransitionTime } : condition,
    );
    sent.push(scene.stage.api.merge(`${widgetsPath}/${widget.metadata.name}/status`, { status: { conditions } }));
  }
  await Promise.all(sent);
}
