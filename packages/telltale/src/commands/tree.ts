// `telltale tree`: who owns whom, how each is, and since when.
import { sleep } from "@telltale/clock";
import { chosen } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { type Connected, connected } from "../program/connect.ts";
import { exit } from "../program/problem.ts";
import { fitted, folded, unfolded } from "../view/fold.ts";
import { live } from "../view/live.ts";
import { paintOf } from "../view/style.ts";
import { treeLines } from "../view/tree.ts";
import { pick, wantedIn } from "../world/choose.ts";
import { follow } from "../world/follow.ts";
import { forest, type TreeNode, vocabularyOf } from "../world/forest.ts";
import { readWorld } from "../world/read.ts";

export function run(call: Call): Promise<number> {
  return connected(call, (at) => (call.flags.has("watch") ? watch(call, at) : once(call, at)));
}

async function once(call: Call, at: Connected): Promise<number> {
  const { clock, out, err, flags } = call;
  const words = vocabularyOf((await chosen(undefined)).flatMap(({ kinds }) => kinds));
  const { objects, kinds, unread } = await readWorld(at.client, { ...placeOf(call), signal: call.signal });
  const trees = pick(forest(objects, words, clock.now()), wantedIn(call.words, kinds, call.values["namespace"]));
  if (flags.has("json")) out.line(JSON.stringify(trees, undefined, 2));
  else for (const line of drawn(call, trees)) out.line(line);
  if (unread.length > 0) err.line(`telltale: these may not be read, and are left out: ${unread.join(", ")}`);
  return exit.well;
}

function drawn({ clock, out, flags }: Call, trees: readonly TreeNode[]): readonly string[] {
  if (trees.length === 0) return ["there is nothing to show"];
  const screen = { width: out.columns, paint: paintOf(out.hasColours), now: clock.now() };
  return treeLines(trees.map(flags.has("all") ? unfolded : folded), screen);
}

async function watch(call: Call, { client }: Connected): Promise<number> {
  const { clock, random, out, signal } = call;
  const words = vocabularyOf((await chosen(undefined)).flatMap(({ kinds }) => kinds));
  const { kinds, unread } = await readWorld(client, { ...placeOf(call), signal });
  const hidden = new Set(unread);
  const visible = kinds.filter(({ plural, group }) => !hidden.has(group === "" ? plural : `${plural}.${group}`));
  const wanted = wantedIn(call.words, kinds, call.values["namespace"]);
  let isNew = true;
  const followed = await follow({
    client,
    clock,
    random,
    kinds: visible,
    ...placeOf(call),
    onChange: () => {
      isNew = true;
    },
  });
  const screen = live(out);
  try {
    for (let beat = 0; !signal.aborted; beat += 1) {
      if (isNew || (out.isLive && beat % 4 === 0)) {
        isNew = false;
        const trees = pick(forest(followed.objects(), words, clock.now()), wanted);
        const { shown } = fitted(trees, out.rows - 1);
        const paint = paintOf(out.hasColours);
        if (out.isLive) screen.draw(treeLines(shown, { width: out.columns, paint, now: clock.now() }));
        else for (const line of [...drawn(call, trees), ""]) out.line(line);
      }
      await sleep(clock, 250, signal).catch(() => undefined);
    }
    return exit.well;
  } finally {
    await followed.stop();
  }
}

const placeOf = ({ values }: Call) => (values["namespace"] === undefined ? {} : { namespace: values["namespace"] });
