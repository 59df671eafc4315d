import { Failed } from "@telltale/status";
import { expect, test } from "vitest";
import type { VirtualMachine } from "../kinds/index.ts";
import type { Pass } from "./act.ts";
import { deeds } from "./deeds.ts";

const metadata = { namespace: "demo", name: "web", uid: "u1" };
const needs = {
  is: "there",
  provider: { metadata: { name: "box" }, spec: {} },
  key: "demo/box",
  vmClass: { metadata: { name: "small" }, spec: { cpu: 1, memory: "1Gi" } },
  image: { metadata: { name: "tiny" }, spec: { source: { libvirt: { path: "/tiny.qcow2" } } } },
  networks: [],
};
const seen = { metadata, spec: { providerRef: { name: "box" }, classRef: { name: "small" } } };

/** A pass over a machine that its cache shows as not made yet. `live`: what the server has by now. */
function passing(live: object | undefined) {
  const asked: string[] = [];
  const pass = {
    world: { vm: seen as VirtualMachine, held: {}, heard: {}, told: {}, needs, claimed: new Set() },
    hands: {
      live: async () => live,
      annotate: async () => {},
      event: () => {},
      once: async ({ call }: { readonly call: () => Promise<unknown> }) => ({ as: "done", result: await call() }),
    },
    link: {
      ask: async (method: string, { requestId }: { readonly requestId?: string }) => {
        asked.push(`${method} ${requestId}`);
        return { id: "vm-2" };
      },
    },
    tools: { streaks: { end: () => {} } },
  };
  return { asked, pass: pass as unknown as Pass };
}

const changes: readonly (readonly [what: string, live: object | undefined])[] = [
  ["gone", undefined],
  ["another one of its name", { metadata: { ...metadata, uid: "u2" } }],
  ["being deleted", { metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }],
  ["made by somebody else", { metadata, status: { id: "vm-1" } }],
];

const done = (deed: { readonly is: "create" } | { readonly is: "repeat"; readonly id: string }, pass: Pass) =>
  (deeds[deed.is] as (it: typeof deed, pass: Pass) => Promise<unknown>)(deed, pass);
const both = [{ is: "create" }, { is: "repeat", id: "vm-1" }] as const;

test.each(both)("what the server has as not made either is asked for, by the uid of its object: $is", async (deed) => {
  const { asked, pass } = passing({ metadata });
  await done(deed, pass);
  expect(asked).toEqual(["create u1"]);
});

test.each(changes)("what the server has as %s is not made on old news", async (_what, live) => {
  for (const deed of both) {
    const { asked, pass } = passing(live);
    await expect(done(deed, pass)).rejects.toThrow(Failed);
    expect(asked).toEqual([]);
  }
});
