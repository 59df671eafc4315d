// On which of the nodes a pod goes: those that can take it, and of these the one with most room. Pure.
import type { Node, Pod } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { type Company, companyFor, type Discord, type Neighbourhood } from "./affinity.ts";
import { type Misfit, matchesTerm, misfitReasons, misfits, tolerates } from "./fit.ts";
import { type HostPort, hostPorts, type NodeLoad } from "./ledger.ts";
import type { Refusal, Verdict } from "./message.ts";
import { allocatableOf, type Requests, requestsOf, shortages } from "./resources.ts";
import { type Spread, spreadFor, type Unevenness } from "./spread.ts";

export interface Site extends Neighbourhood {
  readonly nodes: readonly Node[];
  readonly loadOf: (node: string) => NodeLoad;
}

export type Choice = { readonly node: string } | { readonly refused: Verdict };

export function choose(pod: Pod, site: Site): Choice {
  const requests = requestsOf(pod);
  const ports = hostPorts(pod);
  const company = companyFor(pod, site);
  const spread = spreadFor(pod, site.nodes, site.placed);
  const wish = { pod, requests, ports, company, spread };
  const refusals: Refusal[] = [];
  const fitting: Node[] = [];
  for (const node of site.nodes) {
    const refusal = refusalOf(wish, node, site.loadOf(nameOf(node)));
    if (refusal === undefined) fitting.push(node);
    else refusals.push(refusal);
  }
  if (fitting.length === 0) return { refused: { by: "nodes", refusals } };
  return { node: nameOf(best(wish, fitting, site)) };
}

interface Wish {
  readonly pod: Pod;
  readonly requests: Requests;
  readonly ports: readonly HostPort[];
  readonly company: Company;
  readonly spread: Spread;
}

/** In this order the first that speaks against it is told. */
const order: readonly Misfit["why"][] = ["unschedulable", "name", "taint", "affinity"];

const discords: Readonly<Record<Discord, string>> = {
  apart: "node(s) didn't match pod affinity rules",
  repelled: "node(s) didn't match pod anti-affinity rules",
  unwelcome: "node(s) didn't satisfy existing pods anti-affinity rules",
};

const unevenness: Readonly<Record<Unevenness, string>> = {
  unlabelled: "node(s) didn't match pod topology spread constraints (missing required label)",
  crowded: "node(s) didn't match pod topology spread constraints",
};

function refusalOf({ pod, requests, ports, company, spread }: Wish, node: Node, load: NodeLoad): Refusal | undefined {
  const against = misfits(pod, node).map(({ why }) => why);
  const first = order.find((why) => against.includes(why));
  if (first !== undefined) return { reasons: [misfitReasons[first]], couldHelp: false };
  if (ports.length > 0 && ports.some((port) => load.ports.some((it) => isClash(it, port)))) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], couldHelp: true };
  }
  const short = shortages(requests, load, allocatableOf(node));
  if (short.length > 0) {
    return { reasons: short.map(({ reason }) => reason), couldHelp: !short.some(({ isHopeless }) => isHopeless) };
  }
  const uneven = spread.unevennessOn(node);
  if (uneven !== undefined) return { reasons: [unevenness[uneven]], couldHelp: uneven === "crowded" };
  const discord = company.discordOn(node);
  return discord === undefined ? undefined : { reasons: [discords[discord]], couldHelp: discord !== "apart" };
}

const anywhere = "0.0.0.0";

const isClash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === anywhere || b.ip === anywhere);

/** The most wanted; of equals the one with fewest pods, then the first by name. */
function best(wish: Wish, nodes: readonly Node[], site: Site): Node {
  const [only] = nodes;
  if (only !== undefined && nodes.length === 1) return only;
  const scored = nodes.map((node) => ({
    node,
    score: scoreOf(wish, node, site),
    pods: site.loadOf(nameOf(node)).pods,
  }));
  scored.sort((a, b) => b.score - a.score || a.pods - b.pods || (nameOf(a.node) < nameOf(b.node) ? -1 : 1));
  const [first] = scored;
  if (first === undefined) throw new Error("a choice among no nodes");
  return first.node;
}

/** What kube-scheduler weighs as well: taints that are a wish, affinity that is a wish, and what would be left. */
function scoreOf({ pod, requests }: Wish, node: Node, site: Site): number {
  const wishes = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === "PreferNoSchedule" && !tolerates(pod.spec?.tolerations, taint),
  );
  const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const liked = preferred.reduce(
    (sum, { preference, weight }) => sum + (matchesTerm(preference, node) ? weight : 0),
    0,
  );
  return -300 * Math.min(1, wishes.length) + 2 * Math.min(100, liked) + left(requests, node, site.loadOf(nameOf(node)));
}

/** How much of a node would be left, from 0 to 100. */
function left({ likely }: Requests, node: Node, load: NodeLoad): number {
  const allocatable = allocatableOf(node);
  const share = (name: "cpu" | "memory") => {
    const there = allocatable.get(name) ?? 0;
    return there <= 0 ? 0 : Math.max(0, (there - load.likely[name] - likely[name]) / there);
  };
  return (100 * (share("cpu") + share("memory"))) / 2;
}
