import { VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { StatusWriter, type StatusWriterOptions } from "./status-writer.ts";

const said = { status: { count: 2 }, changed: true, significance: "detail" } as const;
const read: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n", uid: "u" } };

/** A clock whose time of day stands still. */
function writing() {
  const clock = new VirtualClock();
  const began = clock.now();
  const writer = new StatusWriter({
    client: { status: { patch: async () => read } },
    kind: ConfigMap,
    controller: "c",
    mode: { as: "patch" },
    clock: { now: () => began, uptime: () => clock.uptime() },
    cache: { wrote: () => undefined },
    fence: { allows: () => true },
    sink: () => undefined,
  } as unknown as StatusWriterOptions);
  return { clock, write: () => writer.write(read, said) };
}

test("a detail waits for a second after the last write, also while the time of day stands still", async () => {
  const { clock, write } = writing();
  expect((await write()).outcome).toBe("written");
  expect(await write()).toMatchObject({ outcome: "deferred", in: 1_000 });
  clock.advance(1_000);
  expect((await write()).outcome).toBe("written");
});
