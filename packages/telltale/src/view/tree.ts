// The trees as lines for a screen of some width: who, how, since when, and how far or in which words. Pure.
import type { Instant } from "@telltale/kinds";
import type { TreeNode } from "../world/forest.ts";
import { age } from "./age.ts";
import { bar, colours, cutTo, cutWithin, fill, marks, type Paint, plain } from "./style.ts";

export interface Screen {
  readonly width: number;
  readonly paint: Paint;
  readonly now: Instant;
}

/** One line of the tree before it is laid out. */
interface Row {
  readonly node: TreeNode;
  /** What leads to it: `│  ├─ `. */
  readonly branch: string;
}

export function treeLines(trees: readonly Branch[], screen: Screen): readonly string[] {
  const places = [...Map.groupBy(trees, ({ node }) => node.namespace)];
  const rows = trees.flatMap((tree) => rowsOf(tree, "", ""));
  const columns = columnsFor(rows, screen.width);
  return places.flatMap(([place, members], i) => [
    ...(i > 0 ? [""] : []),
    screen.paint("bold", place === "" ? "in no namespace" : place),
    ...members.flatMap((tree) => rowsOf(tree, "", "").map((row) => lineOf(row, columns, screen))),
  ]);
}

/** A node with those of its children that are shown. */
export interface Branch {
  readonly node: TreeNode;
  readonly children: readonly Branch[];
  /** How many below it are not shown. */
  readonly hidden: number;
}

type Shown = Row & { readonly hidden: number };

function rowsOf({ node, children, hidden }: Branch, own: string, below: string): readonly Shown[] {
  return [
    { node, branch: own, hidden },
    ...children.flatMap((child, i) => {
      const isLast = i === children.length - 1;
      return rowsOf(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`);
    }),
  ];
}

interface Columns {
  readonly name: number;
  readonly state: number;
  readonly since: number;
  readonly detail: number;
}

/** Names get what they need, up to half of the screen; words get what is left. */
function columnsFor(rows: readonly Shown[], width: number): Columns {
  const longest = (of: (row: Shown) => string, least: number) => Math.max(least, ...rows.map((row) => of(row).length));
  const room = Math.max(20, width - 2);
  const since = 6;
  const name = Math.min(longest(label, 12), Math.floor(room * (width < 120 ? 0.45 : 0.4)));
  const state = Math.min(
    longest(({ node }) => stateOf(node), 7),
    Math.floor(room * (width < 120 ? 0.23 : 0.26)),
  );
  return { name, state, since, detail: Math.max(0, room - name - state - since - 3) };
}

const label = ({ node, branch, hidden }: Shown): string =>
  `${branch}${node.kind} ${node.name}${hidden === 0 ? "" : ` +${hidden}`}`;

function lineOf(row: Shown, { name, state, since, detail }: Columns, { paint, now }: Screen): string {
  const { node } = row;
  const colour = colours[node.health];
  const parts = [
    paint(colour, marks[node.health]),
    named(row, name, paint),
    paint(colour, fill(stateOf(node), state)),
    paint("grey", fill(node.since === undefined ? "" : age(node.since, now), since)),
    detailOf(node, detail, paint),
  ];
  return parts.join(" ").trimEnd();
}

/** Branches and kinds stand back behind the name. */
function named(row: Shown, width: number, paint: Paint): string {
  const text = cutWithin(label(row), width).padEnd(width);
  const [branch, kind] = [row.branch.length, row.node.kind.length];
  return `${paint("grey", text.slice(0, branch))}${paint("cyan", text.slice(branch, branch + kind))}${text.slice(branch + kind)}`;
}

/** The phase, and the reason where that says more. */
export function stateOf({ phase, said, health }: TreeNode): string {
  const reason = said?.reason ?? "";
  const words = [phase ?? "", reason === phase || (phase !== undefined && health === "well") ? "" : reason];
  return (
    plain(words.filter((word) => word !== "").join(" ")) ||
    { well: "", busy: "in progress", bad: "failed", going: "deleting", unknown: "" }[health]
  );
}

/** Of the bar and its number, where there is not much room. */
const least = 13;

function detailOf({ percent, said, health }: TreeNode, width: number, paint: Paint): string {
  const isUnderWay = percent !== undefined && health === "busy";
  const progress = isUnderWay && width >= least ? bar(percent, width < 40 ? least - 5 : 12) : "";
  const words = cutTo(plain(said?.message ?? ""), width - progress.length - (progress === "" ? 0 : 2));
  return [progress, words]
    .filter((it) => it !== "")
    .map((it) => (it === progress ? paint("yellow", it) : it))
    .join("  ");
}
