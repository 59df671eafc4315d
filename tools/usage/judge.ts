// What is not used by operators, less what their tables of exceptions have. Pure.
import type { Kind } from "@telltale/kinds";
import { unreadFields, unreadSettings, unusedReasons, unwrittenFields } from "./compare.ts";
import type { Exception } from "./exceptions/exception.ts";
import type { Usage } from "./record.ts";

export interface Judged {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly exceptions: readonly Exception[];
  /** All that its pages say, without line ends. */
  readonly pages: string;
}

export interface Judgement {
  readonly unused: number;
  readonly exceptions: number;
  readonly problems: readonly string[];
}

export function judge(operators: readonly Judged[], usage: Usage): Judgement {
  const all = operators.map((operator) => ({ operator, found: unusedBy(operator, usage) }));
  return {
    unused: all.flatMap(({ found }) => found).length,
    exceptions: operators.flatMap(({ exceptions }) => exceptions).length,
    // First what is not used, of all of them; then what is wrong with the tables.
    problems: [
      ...all.flatMap(({ operator, found }) => uncovered(operator, found)),
      ...all.flatMap(({ operator, found }) => outdated(operator, found)),
    ],
  };
}

function unusedBy({ name, kinds }: Judged, usage: Usage): readonly string[] {
  const ofKinds = kinds
    .filter(({ description }) => description !== "")
    .flatMap((kind) => {
      const key = `${kind.group}/${kind.kind}`;
      const { spec, status } = kind.schema;
      return [
        ...unreadFields(spec, usage.specs[key] ?? {}).map((path) => `spec ${kind.kind} ${path}`),
        ...(status === undefined ? [] : unwrittenFields(status, usage.statuses[key] ?? [])).map(
          (path) => `status ${kind.kind} ${path}`,
        ),
      ];
    });
  const reasons = unusedReasons(kinds, ({ group, kind }) => usage.conditions[`${group}/${kind}`] ?? []);
  const metrics = Object.entries(usage.metrics).filter(
    ([metric, state]) => metric.startsWith(`${name}_`) && state === "declared",
  );
  return [
    ...ofKinds,
    ...reasons.map((at) => `reason ${at}`),
    ...unreadSettings(usage.settings[name] ?? {}).map((path) => `setting ${path}`),
    ...metrics.map(([metric]) => `metric ${metric}`),
  ];
}

const covers = (pattern: string, what: string): boolean =>
  pattern.endsWith("*") ? what.startsWith(pattern.slice(0, -1)) : what === pattern;

function uncovered({ name, exceptions }: Judged, found: readonly string[]): readonly string[] {
  return found
    .filter((what) => !exceptions.some((row) => covers(row.what, what)))
    .map((what) => {
      const verb = /^(spec|setting) /.test(what) ? "is read by no code" : "is never set";
      return `${name}: ${what} ${verb}; use it, remove it, or add a row to tools/usage/exceptions/${name}.ts`;
    });
}

function outdated({ name, exceptions, pages }: Judged, found: readonly string[]): readonly string[] {
  return exceptions.flatMap(({ what, told }) => [
    ...(found.some((it) => covers(what, it))
      ? []
      : [`${name}: ${what} is used; remove its row from tools/usage/exceptions/${name}.ts`]),
    ...(pages.includes(plain(told))
      ? []
      : [`${name}: ${what}: no page of the operator says "${told}"; write it there, or correct the row`]),
  ]);
}

/** Without line ends. */
export const plain = (text: string): string => text.replaceAll(/\s+/g, " ");
