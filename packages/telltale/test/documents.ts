// The documents that are made from the kinds of all operators: troubleshooting by reason, and the reference. Pure.
import { type Kind, markdownTable, referencesOf, troublesOf } from "@telltale/kinds";
import type { Operator } from "../src/operators/operator.ts";
import { operators } from "../src/operators/table.ts";

const upToDate = "`npx vitest run packages/telltale/test/documents.test.ts -u` brings it up to date.";
const title = ({ name }: Operator): string => {
  const summary = operators.find((it) => it.name === name)?.summary ?? "";
  return `## ${name}\n\n${sentence(summary)}`;
};

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** `docs/troubleshooting.md` */
export const troubleshooting = (all: readonly Operator[]): string =>
  page(
    `# Troubleshooting by reason

Made from the kinds; ${upToDate}`,
    `A condition that is not well has a reason, and a reason is one of a closed list. This page has all of them that ask for something, by name.
Most people need it rarely: this says the same of what is wrong right now, and which object is to blame.

\`\`\`sh
npx telltale why
\`\`\``,
    ...all.flatMap((operator) => [title(operator), more[operator.name] ?? "", troublesOf(operator.kinds)]),
  );

/** What an operator's own pages add. */
const more: Readonly<Record<string, string>> = {
  bindy: `[Read the status](../operators/bindy/docs/status-conditions.md) adds the usual cause of each, and where to look.`,
};

/** `docs/reference.md` */
export const referenceIndex = (all: readonly Operator[]): string =>
  page(
    `# Reference of every kind

Made from the kinds; ${upToDate}`,
    "Each page has names, columns, fields with their limits and defaults, phases, conditions and reasons.",
    ...all.flatMap((operator) => [title(operator), kindTable(operator)]),
  );

const kindTable = ({ name, kinds }: Operator): string =>
  markdownTable(
    ["Kind", "API version", "Short names", "Is"],
    kinds.map(({ kind, apiVersion, shortNames, description }) => [
      `[${kind}](../operators/${name}/docs/api.md#${kind.toLowerCase()})`,
      `\`${apiVersion}\``,
      shortNames.map((it) => `\`${it}\``).join(", "),
      description,
    ]),
  );

/** `operators/<name>/docs/api.md`; bindy makes its own, which says more. */
export const reference = (kinds: readonly Kind[]): string =>
  page(`# Reference\n\nMade from the kinds; ${upToDate}`, ...referencesOf(kinds, coreField));

/** What Kubernetes itself describes is not described again. */
const coreField = /(affinity|tolerations\[\]|variables\[\]|volumes\[\]|volumeMounts\[\]|ecurityContext|resources)[.[{]/;

const page = (...parts: readonly string[]): string =>
  parts
    .filter((part) => part !== "")
    .map((part) => part.trimEnd())
    .join("\n\n")
    .concat("\n");
