import { expect, test } from "vitest";
import type { Bind9Instance, DNSZone } from "../kinds/index.ts";
import { list, unlist, type ZoneHands } from "./marks.ts";

const zone = (name: string) =>
  ({ metadata: { namespace: "dns", name }, spec: { zoneName: `${name}.test` } }) as DNSZone;

const listing = (...names: string[]) =>
  ({
    metadata: { namespace: "dns", name: "x" },
    status: { zones: names.map((name) => ({ ...ref, name, zoneName: `${name}.test` })), zonesCount: names.length },
  }) as unknown as Bind9Instance;
const ref = { apiVersion: "bindy.firestoned.io/v1beta1", kind: "DNSZone", namespace: "dns" };

/** The zones that an instance is told to list, by who sees it like this; none where it is told nothing. */
async function told(live: Bind9Instance | undefined, say: (hands: ZoneHands) => Promise<void>) {
  const patches: { path: string; op: string; value: readonly { name: string }[] }[] = [];
  const hands = {
    now: 0,
    get: () => live,
    patchStatus: async (_kind: unknown, _of: unknown, patch: typeof patches) => patches.push(...patch),
  };
  await say(hands as unknown as ZoneHands);
  const put = patches.find(({ op, path }) => op === "add" && path === "/status/zones");
  return put?.value.map(({ name }) => name);
}

test("8.5 a zone that comes to an instance, or goes, leaves what others said there since its pass began", async () => {
  const [none, both] = [listing(), listing("a", "b")];
  expect(await told(listing("b"), (hands) => list(none, zone("a"), hands))).toEqual(["a", "b"]);
  expect(await told(both, (hands) => unlist(listing("a"), zone("a"), hands))).toEqual(["b"]);
});

test("8.5 it says nothing where it was already said, or the instance is gone", async () => {
  expect(await told(listing("a"), (hands) => list(listing(), zone("a"), hands))).toBeUndefined();
  expect(await told(listing("b"), (hands) => unlist(listing("a", "b"), zone("a"), hands))).toBeUndefined();
  expect(await told(undefined, (hands) => list(listing(), zone("a"), hands))).toBeUndefined();
});
