// What a run is asked for.
import { parseArgs } from "node:util";
import { isPeer, type PeerName, peerNames } from "./peers.ts";

export const workloads = ["W1", "W2", "W3", "W4", "W5", "W8", "W9", "W11"] as const;
export type Workload = (typeof workloads)[number];

export interface Options {
  readonly objects: number;
  readonly peers: readonly PeerName[];
  readonly only: readonly Workload[];
  readonly repeat: number;
  readonly rates: readonly number[];
  readonly seconds: number;
  readonly windows: number;
  readonly changes: number;
  readonly burst: number;
  readonly flips: number;
  readonly idle: number;
  readonly outages: readonly number[];
  /** Where the JSON goes. */
  readonly json?: string;
}

export const help = `npm run bench -- runtime [options]

Measures the same operator on our runtime, on controller-runtime and on @kubernetes/client-node, one after the other, each
against a kube-apiserver and etcd of its own that start with the same objects.

  --objects N    how many widgets there are (10000)
  --peers A,B    ${peerNames.join(", ")}
                 (ours,controller-runtime,client-node)
  --only W1,W3   ${workloads.join(", ")} (all)
  --repeat N     how often everything is done; figures are medians (1)
  --rates A,B    W3: spec changes a second, open loop (40)
  --seconds N    W3: for how long at each rate (30)
  --windows N    W3: how often each of its parts is measured, the operators by turns (1)
  --changes N    W3: changes by 8 writers in a closed loop (3000, at most one for each object); a third of them by one
  --burst N      W4: changes at once (5000, at most one for each object)
  --flips N      W5: children that change (5000, at most one for each object)
  --idle N       W8: seconds (60)
  --outages A,B  W9: seconds without a connection (1,60)
  --json FILE    every sample, medians and ratios as JSON`;

/** The options, or what is wrong with them. */
export function readOptions(args: readonly string[]): Options | { readonly problem: string } | "help" {
  try {
    return read(args);
  } catch (error) {
    return { problem: `${error instanceof Error ? error.message : error}; see --help` };
  }
}

function read(args: readonly string[]): Options | { readonly problem: string } | "help" {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      objects: text,
      peers: text,
      only: text,
      repeat: text,
      rates: text,
      seconds: text,
      windows: text,
      changes: text,
      burst: text,
      flips: text,
      idle: text,
      outages: text,
      json: text,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  const bad: string[] = [];
  const numbers = (name: "rates" | "outages", standard: readonly number[]): readonly number[] => {
    const all = values[name]?.split(",").map(Number) ?? standard;
    if (all.some((n) => !(n > 0))) bad.push(`--${name} ${values[name]}: numbers above 0, with commas between`);
    return all;
  };
  const number = (
    name: "objects" | "repeat" | "seconds" | "windows" | "changes" | "burst" | "flips" | "idle",
    standard: number,
  ): number => {
    const value = Number(values[name] ?? standard);
    if (!Number.isInteger(value) || value < 1) bad.push(`--${name} ${values[name]}: a whole number above 0`);
    return value;
  };
  const words = <T extends string>(name: "peers" | "only", is: (word: string) => word is T, standard: readonly T[]) => {
    const given = values[name]?.split(",");
    const unknown = given?.filter((word) => !is(word)) ?? [];
    if (unknown.length > 0) bad.push(`--${name}: there is no ${unknown.join(", ")}`);
    return given?.filter(is) ?? standard;
  };
  const objects = number("objects", 10_000);
  const atMost = (n: number) => Math.min(n, objects);
  const options: Options = {
    objects,
    peers: words("peers", isPeer, ["ours", "controller-runtime", "client-node"]),
    only: words("only", isWorkload, workloads),
    repeat: number("repeat", 1),
    rates: numbers("rates", [40]),
    seconds: number("seconds", 30),
    windows: number("windows", 1),
    changes: atMost(number("changes", 3_000)),
    burst: atMost(number("burst", 5_000)),
    flips: atMost(number("flips", 5_000)),
    idle: number("idle", 60),
    outages: numbers("outages", [1, 60]),
    ...(values.json === undefined ? {} : { json: values.json }),
  };
  return bad.length > 0 ? { problem: bad.join("; ") } : options;
}

const isWorkload = (word: string): word is Workload => (workloads as readonly string[]).includes(word);
