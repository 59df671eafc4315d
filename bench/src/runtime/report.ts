// From samples to a table: medians over the rounds, our ratio to each peer, and what was aimed at.
import { availableParallelism, cpus, release } from "node:os";
import type { Options } from "./options.ts";
import type { PeerName } from "./peers.ts";
import type { Cores } from "./proc.ts";
import { type Row, rowsOf } from "./rows.ts";
import type { Figures } from "./scene.ts";
import type { Seed } from "./stage.ts";

/** What one workload of one operator in one round came to. */
export interface Measured {
  readonly peer: PeerName;
  readonly repeat: number;
  readonly section: string;
  readonly figures: Figures;
}

export interface Facts {
  readonly options: Options;
  readonly seed: Seed;
  readonly cores: Cores | undefined;
  readonly digests: Readonly<Record<string, string>>;
  /** How busy the machine was before it began. */
  readonly load: number;
}

interface Line {
  readonly section: string;
  readonly row: Row;
  readonly values: ReadonlyMap<PeerName, { readonly median: number; readonly min: number; readonly max: number }>;
}

export function printReport(measured: readonly Measured[], facts: Facts): void {
  const { peers, objects, repeat, windows } = facts.options;
  const others = peers.includes("ours") ? peers.filter((name) => name !== "ours") : [];
  const head = ["", "what", ...peers, ...others.map((name) => `ours / ${name}`), "aim", ""];
  const body = linesOf(measured).map(({ section, row, values }, i, all) => [
    section === all[i - 1]?.section ? "" : section,
    `${row.what}, ${row.unit}`,
    ...peers.map((name) => cell(values.get(name))),
    ...others.map((name) => format(ratio(values, name))),
    aimText(row),
    verdict(row, values),
  ]);
  const table = [head, ...body];
  const widths = head.map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  for (const row of table)
    console.log(
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log(`
${objects} objects of ${facts.seed.bytes} bytes, ${repeat} round(s), W3 in ${windows} window(s)${repeat * windows > 1 ? ", medians (from–to)" : ""}; ${machine()}.
The machine's load was ${facts.load.toFixed(1)} before it began${facts.load > 0.5 ? ": somebody else works here, and latencies are not to be trusted" : ""}.
${sharing(facts.cores)}
What the operators left was as it must be, and the same but for times: ${JSON.stringify(facts.digests)}.`);
}

export function toJson(measured: readonly Measured[], facts: Facts): string {
  const medians = linesOf(measured).map(({ section, row, values }) => ({
    section,
    figure: row.figure,
    what: row.what,
    unit: row.unit,
    peers: Object.fromEntries(values),
    ratio: Object.fromEntries(
      [...values.keys()].filter((name) => name !== "ours").map((name) => [name, ratio(values, name)]),
    ),
    aim: row.aim,
    verdict: verdict(row, values),
  }));
  const { options, cores, digests, seed, load } = facts;
  return `${JSON.stringify({ machine: machine(), load, cores, options, bytes: seed.bytes, digests, medians, samples: measured }, null, 2)}\n`;
}

function linesOf(measured: readonly Measured[]): Line[] {
  const sections = [...new Set(measured.map(({ section }) => section))].sort(bySection);
  return sections.flatMap((section) =>
    rowsOf(section).map((row) => {
      const values = new Map<PeerName, { median: number; min: number; max: number }>();
      const here = measured.filter((one) => one.section === section);
      for (const peer of new Set(here.map((one) => one.peer))) {
        const all = here
          .filter((one) => one.peer === peer)
          .map(({ figures }) => (figures[row.figure] ?? Number.NaN) * (row.scale ?? 1));
        values.set(peer, { median: median(all), min: Math.min(...all), max: Math.max(...all) });
      }
      return { section, row, values };
    }),
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function bySection(a: string, b: string): number {
  const number = (section: string) => Number(/^W(\d+)/.exec(section)?.[1]);
  return number(a) - number(b);
}

function ratio(values: Line["values"], name: PeerName): number {
  return (values.get("ours")?.median ?? Number.NaN) / (values.get(name)?.median ?? Number.NaN);
}

function verdict({ aim }: Row, values: Line["values"]): string {
  const ours = values.get("ours")?.median;
  if (aim === undefined || ours === undefined) return "";
  const value = aim.is === "ratio" ? ratio(values, "controller-runtime") : ours;
  if (Number.isNaN(value)) return "";
  const met = aim.is === "exactly" ? value === aim.value : value <= aim.value;
  return met ? "met" : "MISSED";
}

function aimText({ aim, unit }: Row): string {
  if (aim === undefined) return "";
  if (aim.is === "ratio") return `at most ${aim.value} of controller-runtime`;
  return aim.is === "exactly" ? `exactly ${aim.value}` : `at most ${aim.value} ${unit}`;
}

function cell(value: { readonly median: number; readonly min: number; readonly max: number } | undefined): string {
  if (value === undefined) return "";
  const { median, min, max } = value;
  return !(min < max) ? format(median) : `${format(median)} (${format(min)}–${format(max)})`;
}

function format(value: number): string {
  if (!Number.isFinite(value)) return "";
  return Number.isInteger(value) || Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function machine(): string {
  return `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? "unknown make"}, Linux ${release()}, Node.js ${process.version}`;
}

function sharing(cores: Cores | undefined): string {
  if (cores === undefined) {
    return `Operator, server, etcd and driver share all cores: there are too few to keep them apart. Peers take turns. Trust the ratios.`;
  }
  const { driver, etcd, operator, apiserver } = cores;
  return `Pinned to cores: driver ${driver}, etcd ${etcd}, operator ${operator}, kube-apiserver ${apiserver}. Peers take turns.`;
}
