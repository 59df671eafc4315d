// The way from what was asked about to what is to blame, in words. Pure.
import { formatTime } from "@telltale/kinds";
import type { TreeNode } from "../world/forest.ts";
import type { Explained, Finding } from "../world/why.ts";
import { age } from "./age.ts";
import { colours, marks, plain } from "./style.ts";
import { type Screen, stateOf } from "./tree.ts";

const howItIs = {
  well: "is well",
  busy: "is on its way",
  bad: "has failed",
  going: "is being deleted",
  unknown: "says nothing",
} as const;

export function whyLines(findings: readonly Finding[], screen: Screen): readonly string[] {
  return findings.flatMap((finding, i) => [
    ...(i === 0 ? [] : [screen.paint("grey", `${"  ".repeat(i - 1)}because of`)]),
    ...section(finding, screen).map((line) => `${"  ".repeat(i)}${line}`),
  ]);
}

function section({ node, troubles }: Finding, { paint, now, width }: Screen): readonly string[] {
  const since = node.since === undefined ? "" : `, for ${age(node.since, now)} (since ${formatTime(node.since)})`;
  const state = stateOf(node);
  const isQualified = node.health === "well" && troubles.length > 1;
  const head = `${paint(colours[node.health], `${marks[node.health]} ${titleOf(node)} ${howItIs[node.health]}${isQualified ? ", except for this" : ""}`)}${state === "" ? "" : `: ${state}`}${since}`;
  return [head, ...troubles.flatMap((said) => trouble(said, width)).map((line) => `    ${line}`)];
}

export const titleOf = ({ kind, namespace, name }: TreeNode): string =>
  `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;

function trouble({ type, status, reason, message, meaning }: Explained, width: number): readonly string[] {
  const words = plain(message);
  return [
    `${type}=${status}${reason === "" ? "" : ` ${reason}`}`,
    ...(words === "" ? [] : wrapped(words, width - 12).map((line) => `  ${line}`)),
    ...(meaning === undefined
      ? []
      : [`  means: ${meaning.means}`, ...(meaning.fix === "nothing to do" ? [] : [`  do: ${meaning.fix}`])]),
  ];
}

/** Words that are too many for one line. A long word stays whole. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= Math.max(30, width))
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
