import { VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { StatusWriter, type StatusWriterOptions } from "./status-writer.ts";

const said = { status: { count: 2 }, changed: true, significance: "detail" } as const;
const read: KubeObject = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n", uid: "u" } };

/** A clock whose time of day stands still. `fence`: by default, anything may be written. */
function writing(fence: StatusWriterOptions["fence"] = { allows: () => true }) {
  const clock = new VirtualClock();
  const began = clock.now();
  const sent: unknown[] = [];
  const patch = async (...asked: unknown[]) => {
    sent.push(asked);
    return read;
  };
  const writer = new StatusWriter({
    client: { status: { patch } },
    kind: ConfigMap,
    controller: "c",
    mode: { as: "patch" },
    clock: { now: () => began, uptime: () => clock.uptime() },
    cache: { wrote: () => undefined },
    fence,
    sink: () => undefined,
  } as unknown as StatusWriterOptions);
  return { clock, sent, write: () => writer.write(read, said) };
}

test("a detail waits for a second after the last write, also while the time of day stands still", async () => {
  const { clock, write } = writing();
  expect((await write()).outcome).toBe("written");
  expect(await write()).toMatchObject({ outcome: "deferred", in: 1_000 });
  clock.advance(1_000);
  expect((await write()).outcome).toBe("written");
});

test("what is another process's share is not written, also where this one may write at all", async () => {
  const { sent, write } = writing({ allows: (object) => object?.name !== "a" });
  expect((await write()).outcome).toBe("notLeader");
  expect(sent).toEqual([]);
});
