import { seededRandom, VirtualClock } from "@telltale/clock";
import { beforeEach, describe, expect, it } from "vitest";
import { remembering } from "../../test/webhook/widget.ts";
import { type CertificateFeed, certificateFeed, type Served } from "./certificate-feed.ts";

const pair = (name: string): Served => ({ cert: `${name} cert`, key: `${name} key`, ca: `${name} ca` });
let clock: VirtualClock;
let looks: number[];
let log: ReturnType<typeof remembering>;
let found: () => Promise<Served>;
let feed: CertificateFeed;
beforeEach(() => {
  clock = new VirtualClock();
  looks = [];
  log = remembering();
  found = async () => pair("a");
});

function start(after?: () => Promise<void>): void {
  feed = certificateFeed({
    clock,
    random: seededRandom(1),
    log,
    every: 60_000,
    look() {
      looks.push(clock.uptime());
      return found();
    },
    ...(after === undefined ? {} : { after }),
  });
}

describe("a feed of certificates", () => {
  it("looks at once, and then again and again", async () => {
    start();
    await clock.settle(200_000);
    expect(looks.length).toBe(4);
    expect(looks[0]).toBe(0);
    for (const [i, at] of looks.entries()) expect(Math.abs(at - 60_000 * i)).toBeLessThanOrEqual(6_000 * i);
    await feed.stop();
    await clock.settle(600_000);
    expect(looks.length).toBe(4);
  });

  it("tells who follows, late or early, and only of changes", async () => {
    start();
    const early: string[] = [];
    const late: string[] = [];
    const end = feed.follow(({ cert }) => early.push(cert));
    await feed.check();
    await feed.check();
    feed.follow(({ cert }) => late.push(cert));
    found = async () => pair("b");
    await feed.check();
    end();
    found = async () => ({ ...pair("b"), ca: "another" });
    await feed.check();
    expect([early, late]).toEqual([
      ["a cert", "b cert"],
      ["a cert", "b cert", "b cert"],
    ]);
  });

  it("keeps what it has in times of trouble, says so once, and looks sooner and ever later", async () => {
    start();
    await feed.check();
    found = async () => {
      throw new Error("no Secret, token=abc");
    };
    looks = [];
    await clock.settle(180_000);
    expect([feed.current()?.cert, feed.trouble()]).toEqual(["a cert", "no Secret, token=[redacted]"]);
    const pauses = looks.slice(1, 7).map((at, i) => at - (looks[i] ?? 0));
    for (const [i, pause] of pauses.entries()) expect(Math.abs(pause / 2 ** i - 1000)).toBeLessThanOrEqual(100);
    expect(log.lines.map(({ message }) => message)).toEqual(["the webhooks' certificate needs attention"]);
    found = async () => pair("b");
    await feed.check();
    expect([feed.current()?.cert, feed.trouble()]).toEqual(["b cert", undefined]);
  });

  it("counts what fails after a look as trouble too", async () => {
    let fails = true;
    start(async () => {
      if (fails) throw new Error("not published");
    });
    await feed.check();
    expect([feed.current()?.cert, feed.trouble()]).toEqual(["a cert", "not published"]);
    fails = false;
    await clock.settle(2_000);
    expect(feed.trouble()).toBeUndefined();
  });

  it("never looks twice at a time", async () => {
    let end = () => {};
    found = () => new Promise((resolve) => (end = () => resolve(pair("a"))));
    start();
    const both = [feed.check(), feed.check()];
    end();
    await Promise.all(both);
    expect(looks.length).toBe(1);
  });

  it("that is stopped in the middle of a look waits for it, and never looks again", async () => {
    let end = () => {};
    found = () =>
      new Promise((resolve) => {
        end = () => resolve(pair("a"));
      });
    start();
    const stopped = feed.stop();
    end();
    await stopped;
    expect([looks.length, clock.next()]).toEqual([1, undefined]);
  });
});
