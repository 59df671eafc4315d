import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FaultEffect, FaultRule } from "@telltale/apiserver";
import { afterEach, describe, expect, it } from "vitest";
import { type EmbeddedGround, embedded, type Followed, follow, follower, namespaces } from "./cache/ground.ts";
import { History } from "./cache/history.ts";
import { caches } from "./cache.ts";

describe("on the embedded server", () => {
  caches({ open: embedded, seeds: [1, 2, 3], steps: 40, many: 10_000 });
});

describe("what the embedded server itself does wrong", () => {
  let ground: EmbeddedGround;
  let followed: Followed;
  let dir: string | undefined;
  afterEach(async () => {
    await followed.stop();
    await ground.end();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    dir = undefined;
  });

  async function begin(options: Parameters<typeof embedded>[1] = {}, lists: "stream" | "pages" = "stream") {
    ground = await embedded(7, { history: { maxAgeMs: 3_600_000 }, ...options });
    followed = follow(ground, { lists });
    return new History({ ...ground, namespaces: await namespaces(ground, 3) });
  }
  const live = async (history: History, steps: number) => {
    for (let i = 0; i < steps; i += 1) {
      await history.step(followed.seen);
      await ground.pass(ground.random.next() * 2_000);
    }
  };
  const same = (history: History) =>
    ground.until(async () => (await history.truth()).join() === followed.seen.shown.join(), "the server's state");
  const relists = () => followed.happened.filter((what) => what === "listed").length - 1;

  const watch = (effect: (FaultEffect & { watch: object })["watch"], more: FaultRule["match"] = {}): FaultRule => ({
    match: { verbs: ["watch"], userAgent: new RegExp(follower), ...more },
    effect: { watch: effect },
  });
  const read = (effect: FaultEffect, probability = 0.3): FaultRule => ({
    match: { verbs: ["list", "watch"], userAgent: new RegExp(follower), probability },
    effect,
  });
  const cut = watch({ dropAfterEvents: 5 });

  it.each<{ name: string; rules: FaultRule[]; resumes: boolean; lists?: "pages" }>([
    { name: "streams that end", rules: [cut], resumes: true },
    { name: "streams cut within a line", rules: [watch({ dropAfterEvents: 5, partialWrite: true })], resumes: true },
    { name: "streams that stall", rules: [watch({ stallAfterEvents: 9 })], resumes: true },
    { name: "events that come twice", rules: [watch({ duplicate: true, dropAfterEvents: 9 })], resumes: true },
    { name: "events that come late", rules: [watch({ delayMs: 1_500 })], resumes: true },
    { name: "no bookmarks at all", rules: [watch({ skipBookmarks: true, dropAfterEvents: 9 })], resumes: true },
    {
      name: "every third watch expired",
      rules: [cut, watch({ expireNow: true }, { nth: (n) => n % 3 === 0 })],
      resumes: false,
    },
    { name: "events in another order", rules: [watch({ reorderAcrossKeys: true })], resumes: false },
    {
      name: "stale lists and expired watches",
      rules: [
        cut,
        watch({ expireNow: true }, { nth: (n) => n % 3 === 0 }),
        read({ staleRead: { lagRevisions: 6 } }, 0.5),
      ],
      resumes: false,
      lists: "pages",
    },
    { name: "a busy server", rules: [cut, read({ status: 429, retryAfterSeconds: 1 })], resumes: true },
    { name: "a server that fails", rules: [cut, read({ status: 500 })], resumes: true },
    { name: "no answers", rules: [cut, read({ timeout: true }, 0.1)], resumes: true },
    { name: "connections that are reset", rules: [cut, read({ resetConnection: true })], resumes: true },
    { name: "slow answers", rules: [cut, read({ latencyMs: [0, 5_000] }, 1)], resumes: true },
  ])("a cache survives $name", async ({ rules, resumes, lists }) => {
    const history = await begin({}, lists);
    for (const rule of rules) ground.server.faults.add(rule);
    followed.cache.start();
    await ground.until(() => followed.cached.isSynced());
    await live(history, 60);
    ground.server.faults.clear();
    await same(history);
    history.check(followed.seen, { all: resumes });
    if (resumes) expect(relists(), followed.happened.join(" ")).toBe(0);
  });

  it("a cache survives a history that is thrown away while it is not connected", async () => {
    const history = await begin();
    followed.cache.start();
    await ground.until(() => followed.cached.isSynced());
    ground.server.faults.add(cut);
    for (let i = 0; i < 10; i += 1) {
      await live(history, 6);
      ground.server.compact();
    }
    ground.server.faults.clear();
    await same(history);
    history.check(followed.seen);
  });

  it("a cache finds out that a server was put back, even where its stream stays open and only says nothing more", async () => {
    const history = await begin();
    const past = ground.server.snapshot();
    followed.cache.start();
    await live(history, 20);
    await same(history);
    ground.server.restore(past);
    await ground.pass(700_000); // no stream lasts longer
    expect(followed.happened).toContain("rewound");
    history.forget();
    await same(history);
    await live(history, 20);
    await same(history);
  });

  it("a cache survives crashes of its server, and new ones over the same disk", async () => {
    dir = mkdtempSync(join(tmpdir(), "telltale-cache-"));
    const history = await begin({ storage: { kind: "disk", dir } });
    followed.cache.start();
    for (const away of [500, 120_000]) {
      await live(history, 20);
      await ground.pass(1_000); // what is written is on the disk by then
      await ground.restart(away);
      expect(followed.cached.trouble() === undefined).toBe(away < 60_000);
    }
    await live(history, 20);
    await same(history);
    history.check(followed.seen);
    expect(followed.cached.trouble()).toBeUndefined();
  });
});
