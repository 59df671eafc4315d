// What must hold of each status that the operator writes, in the server's history: I8, I10, I13, I17, I19 by the rules of
// `@telltale/status`.
import type { Kind, KubeObject } from "@telltale/kinds";
import { checkStep, lintStatus } from "@telltale/status";
import type { Invariant } from "../invariant.ts";

/** Which invariant a rule of status stands for. */
const invariantOf: Readonly<Record<number, string>> = {
  15: "I10",
  16: "I11",
  17: "I10",
  25: "I8",
  26: "I8",
  27: "I8",
  28: "I8",
  42: "I17",
  53: "I19",
  60: "I13",
};

export const statuses: readonly Invariant[] = [
  {
    id: "status",
    what: "each status follows the rules, and each step from one to the next",
    watch(world, say) {
      const kindOf = ({ apiVersion, kind }: KubeObject): Kind | undefined =>
        world.scenario.kinds.find((it) => it.apiVersion === apiVersion && it.kind === kind);
      return {
        change({ author, before, after, type, key, sent }) {
          if (author === undefined || type === "DELETED" || sent?.target.subresource !== "status") return;
          const kind = kindOf(after);
          if (kind === undefined) return;
          const found = [...(before === undefined ? [] : checkStep(kind, before, after)), ...lintStatus(kind, after)];
          for (const { rule, at, problem } of found)
            say(`${invariantOf[rule] ?? `rule ${rule}`} ${key} ${at}: ${problem}`);
        },
      };
    },
  },
];
