// `telltale why`: what is wrong, which descendant is to blame, since when, what that means, and what to do.
import { chosen } from "../operators/table.ts";
import type { Call } from "../program/command.ts";
import { connected } from "../program/connect.ts";
import { exit } from "../program/problem.ts";
import { paintOf } from "../view/style.ts";
import { whyLines } from "../view/why.ts";
import { pick, wantedIn } from "../world/choose.ts";
import { forest, type TreeNode, vocabularyOf } from "../world/forest.ts";
import { readWorld } from "../world/read.ts";
import { reservationsOf, why, worstIn } from "../world/why.ts";

export function run(call: Call): Promise<number> {
  return connected(call, async ({ client }) => {
    const { clock, out, err, flags, values } = call;
    const words = vocabularyOf((await chosen(undefined)).flatMap(({ kinds }) => kinds));
    const place = values["namespace"] === undefined ? {} : { namespace: values["namespace"] };
    const { objects, kinds, unread } = await readWorld(client, { ...place, signal: call.signal });
    const wanted = wantedIn(call.words, kinds, values["namespace"]);
    const asked = pick(forest(objects, words, clock.now()), wanted);
    const kindOf = ({ apiVersion, kind }: TreeNode) => words({ apiVersion, kind });
    // Who names nothing wants to know of what is wrong only.
    const isWrong = (node: TreeNode) => worstIn(node) !== "well" || reservationsOf(node, kindOf(node)).length > 0;
    const nodes = wanted.as === "one" ? asked : asked.filter(isWrong);
    const findings = nodes.map((node) => why(node, kindOf));
    if (flags.has("json")) {
      const short = findings.map((all) =>
        all.map(({ node: { children: _below, ...node }, troubles }) => ({ node, troubles })),
      );
      out.line(JSON.stringify(short, undefined, 2));
    } else {
      const screen = { width: out.columns, paint: paintOf(out.hasColours), now: clock.now() };
      for (const [i, finding] of findings.entries()) {
        if (i > 0) out.line();
        for (const line of whyLines(finding, screen)) out.line(line);
      }
      if (findings.length === 0) out.line("everything is well");
    }
    if (unread.length > 0) err.line(`telltale: these may not be read, and are left out: ${unread.join(", ")}`);
    return exit.well;
  });
}
