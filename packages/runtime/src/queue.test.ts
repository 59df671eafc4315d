import { seededRandom, VirtualClock } from "@telltale/clock";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Key, keyOf } from "./key.ts";
import { Queue, type QueueOptions } from "./queue.ts";
import type { Cause } from "./samples.ts";

function queue(options: Partial<QueueOptions> = {}) {
  const clock = new VirtualClock();
  return { clock, queue: new Queue({ clock, random: seededRandom(1), onReady: () => {}, ...options }) };
}

const key = (name: string, namespace = "a"): Key => keyOf({ namespace, name });

/** Takes and finishes everything that is ready. */
function drain(q: Queue): string[] {
  const keys: string[] = [];
  for (let next = q.take(); next !== undefined; next = q.take()) {
    keys.push(next.key);
    q.done(next.key);
  }
  return keys;
}

describe("which key is next", () => {
  it("holds a key once, however often it is asked for", () => {
    const { queue: q } = queue();
    for (let i = 0; i < 5; i += 1) q.add(key("x"), "change");
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("takes a person's change before a child's, a timer and a resync", () => {
    const { queue: q } = queue();
    for (const cause of ["resync", "timer", "child", "change"] as const) q.add(key(cause), cause);
    expect(drain(q)).toEqual(["a/change", "a/child", "a/timer", "a/resync"]);
  });

  it("moves a waiting key up when it becomes more urgent, and never down", () => {
    const { queue: q } = queue();
    q.add(key("first"), "timer");
    q.add(key("second"), "resync");
    q.add(key("second"), "change");
    q.add(key("second"), "resync");
    expect(drain(q)).toEqual(["a/second", "a/first"]);
  });

  it("serves namespaces in turn", () => {
    const { queue: q } = queue();
    for (let i = 0; i < 3; i += 1) q.add(key(`many-${i}`, "big"), "change");
    q.add(key("one", "small"), "change");
    expect(drain(q)).toEqual(["big/many-0", "small/one", "big/many-1", "big/many-2"]);
  });

  it("lets no key starve: among 10,000 urgent ones that keep coming a resync is served soon", () => {
    const { queue: q } = queue();
    q.add(key("patient"), "resync");
    for (let i = 0; i < 10_000; i += 1) q.add(key(`${i}`, `n${i % 7}`), "change");
    for (let taken = 1; ; taken += 1) {
      const next = q.take();
      expect(taken).toBeLessThan(20);
      if (next === undefined || next.key === "a/patient") break;
      q.done(next.key);
      q.add(next.key, "change");
    }
  });

  it("serves an urgent key at once among 10,000 that wait", () => {
    const { queue: q } = queue();
    for (let i = 0; i < 10_000; i += 1) q.add(key(`${i}`), "resync");
    q.add(key("urgent"), "change");
    expect([q.take()?.key, q.take()?.key]).toContain("a/urgent");
  });
});

describe("a running key", () => {
  it("is not given out again before it is done, and then once", () => {
    const { queue: q } = queue();
    q.add(key("x"), "change");
    expect(q.take()?.key).toBe("a/x");
    q.add(key("x"), "resync");
    q.add(key("x"), "child");
    expect(q.take()).toBeUndefined();
    q.done(key("x"));
    expect(q.take()).toMatchObject({ key: "a/x", cause: "child" });
    q.done(key("x"));
    expect(q.take()).toBeUndefined();
  });

  it("is never run twice at a time and never lost, whatever the order of calls", () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant("add" as const),
        name: fc.nat(4),
        cause: fc.constantFrom<Cause>("change", "resync"),
      }),
      fc.record({ do: fc.constant("later" as const), name: fc.nat(4), delay: fc.nat(50) }),
      fc.record({ do: fc.constant("take" as const) }),
      fc.record({ do: fc.constant("done" as const), which: fc.nat(4) }),
      fc.record({ do: fc.constant("time" as const), by: fc.nat(40) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, queue: q } = queue();
        const running: Key[] = [];
        const owed = new Set<string>();
        for (const s of steps) {
          if (s.do === "add") {
            q.add(key(`${s.name}`), s.cause);
            owed.add(key(`${s.name}`));
          } else if (s.do === "later") {
            q.addAfter(key(`${s.name}`), s.delay);
            owed.add(key(`${s.name}`));
          } else if (s.do === "take") {
            const taken = q.take();
            if (taken === undefined) continue;
            expect(running).not.toContain(taken.key);
            running.push(taken.key);
            owed.delete(taken.key);
          } else if (s.do === "done") {
            const [it] = running.splice(s.which % Math.max(1, running.length), 1);
            if (it !== undefined) q.done(it);
          } else clock.advance(s.by);
        }
        for (const it of running) q.done(it);
        clock.advance(1000);
        const rest = drain(q);
        for (const it of owed) expect(rest).toContain(it);
        expect(q.gauge).toMatchObject({ waiting: 0, delayed: 0, running: 0 });
      }),
    );
  });
});

describe("later", () => {
  it("wakes a key at the earliest of several times", () => {
    const { clock, queue: q } = queue();
    q.addAfter(key("x"), 500);
    q.addAfter(key("x"), 100);
    q.addAfter(key("x"), 300);
    clock.advance(99);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
    clock.advance(1000);
    expect(drain(q)).toEqual([]);
  });

  it("forgets an older wish when a pass begins, and keeps one from during the pass", () => {
    const { clock, queue: q } = queue();
    q.addAfter(key("x"), 500);
    q.add(key("x"), "change");
    q.take();
    q.addAfter(key("x"), 700);
    q.done(key("x"));
    clock.advance(600);
    expect(drain(q)).toEqual([]);
    clock.advance(100);
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("is not moved by a clock that is put elsewhere", () => {
    const { clock, queue: q } = queue();
    q.addAfter(key("x"), 500);
    clock.jump(new VirtualClock().now());
    clock.advance(499);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("backs off twice as long with each failure, up to a limit, and starts over after a success", () => {
    const { queue: q } = queue({ backoff: { first: 100, longest: 1000, jitter: 0.1 } });
    const delays = Array.from({ length: 6 }, () => q.retry(key("x")));
    for (const [i, base] of [100, 200, 400, 800, 1000, 1000].entries()) {
      expect(Math.abs((delays[i] ?? 0) - base)).toBeLessThanOrEqual(base * 0.1);
    }
    expect(q.failures(key("x"))).toBe(6);
    q.succeeded(key("x"));
    expect(q.retry(key("x"), 5000)).toBe(5000);
  });

  it("is as long as the server asks for, whoever else calls, but for a change of the object itself", () => {
    const { clock, queue: q } = queue();
    q.add(key("x"), "change");
    q.take();
    q.add(key("x"), "child"); // during its pass
    q.retry(key("x"), 5000);
    q.done(key("x"));
    q.add(key("x"), "timer");
    clock.advance(4999);
    expect(drain(q)).toEqual([]);
    q.add(key("x"), "change");
    expect(drain(q)).toEqual(["a/x"]);
    q.succeeded(key("x"));
    q.add(key("x"), "child");
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("is as long as the server asks for, also for who asks for a key after a while", () => {
    const { clock, queue: q } = queue();
    q.add(key("x"), "change");
    q.take();
    q.retry(key("x"), 60_000);
    q.done(key("x"));
    q.addAfter(key("x"), 100, "child");
    q.addAfter(key("x"), 59_999, "resync");
    clock.advance(59_999);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
    q.addAfter(key("x"), 100, "child");
    clock.advance(100);
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("is as long as the server asks for, also after a pass that went well, or failed in another way", () => {
    const { clock, queue: q } = queue();
    q.succeeded(key("x"));
    q.hold(key("x"), 60_000);
    q.add(key("x"), "child");
    clock.advance(30_000);
    q.add(key("x"), "change");
    expect(q.take()?.key).toBe("a/x");
    expect(q.retry(key("x"), 0, "change")).toBe(30_000);
    q.done(key("x"));
    clock.advance(29_999);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("is as long as the server asks for, also where a delay was set before it asked", () => {
    const { clock, queue: q } = queue({ spacing: 1000 });
    q.add(key("x"), "change");
    q.take();
    q.add(key("x"), "child"); // delayed by the spacing
    q.retry(key("x"), 5000);
    q.done(key("x"));
    clock.advance(4999);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
  });

  it("takes up nothing once it is stopped", () => {
    const { clock, queue: q } = queue();
    q.addAfter(key("x"), 100);
    q.stop();
    q.addAfter(key("y"), 100);
    q.add(key("z"), "change");
    clock.advance(1000);
    expect(drain(q)).toEqual([]);
    expect(q.gauge).toMatchObject({ waiting: 0, delayed: 0 });
  });

  it("keeps the declared distance between two passes of one key", () => {
    const { clock, queue: q } = queue({ spacing: 1000 });
    q.add(key("x"), "change");
    expect(drain(q)).toEqual(["a/x"]);
    q.add(key("x"), "change");
    q.add(key("y"), "change");
    expect(drain(q)).toEqual(["a/y"]);
    clock.advance(1000);
    expect(drain(q)).toEqual(["a/x"]);
    // Nor does a timer come sooner.
    q.addAfter(key("x"), 100);
    clock.advance(999);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
    q.addAfter(key("x"), 3000);
    clock.advance(2999);
    expect(drain(q)).toEqual([]);
    clock.advance(1);
    expect(drain(q)).toEqual(["a/x"]);
  });
});

describe("what is remembered of a key", () => {
  it("ends with its object: neither failures nor a wait nor a wish", () => {
    const { clock, queue: q } = queue({ spacing: 1_000 });
    q.add(key("x"), "change");
    drain(q);
    q.retry(key("x"), 60_000);
    q.forget(key("x"));
    expect([q.failures(key("x")), q.gauge.delayed]).toEqual([0, 0]);
    q.add(key("x"), "child");
    expect(drain(q)).toEqual(["a/x"]);
    clock.advance(120_000);
    expect(drain(q)).toEqual([]);
  });

  it("is no failure any more after a success, and no wait", () => {
    const { queue: q } = queue();
    q.retry(key("x"), 60_000);
    q.succeeded(key("x"));
    expect(q.failures(key("x"))).toBe(0);
    q.add(key("x"), "child");
    expect(drain(q)).toEqual(["a/x"]);
  });
});

describe("what a queue tells of itself", () => {
  it("how many keys wait, are put off and run, and how long", () => {
    const { clock, queue: q } = queue();
    expect(q.gauge).toEqual({ waiting: 0, delayed: 0, running: 0, longest: 0, unfinished: 0 });
    q.add(key("a"), "change");
    expect(q.take()).toEqual({ key: "a/a", cause: "change", waited: 0 });
    clock.advance(300);
    q.add(key("b"), "timer");
    clock.advance(200);
    expect(q.take()).toEqual({ key: "a/b", cause: "timer", waited: 200 });
    q.add(key("c"), "child");
    q.addAfter(key("d"), 5_000);
    clock.advance(100);
    expect(q.gauge).toEqual({ waiting: 1, delayed: 1, running: 2, longest: 600, unfinished: 700 });
  });

  it("that something is ready, once for each", () => {
    let ready = 0;
    const onReady = () => {
      ready += 1;
    };
    const { queue: q } = queue({ onReady });
    q.add(key("a"), "change");
    expect(ready).toBe(1);
    q.take();
    q.add(key("a"), "change");
    expect(ready).toBe(1);
    q.done(key("a"));
    expect(ready).toBe(2);
  });
});

it("of several causes during a pass the most urgent one is that of the next", () => {
  for (const [first, second] of [
    ["timer", "change"],
    ["change", "timer"],
  ] as const) {
    const { queue: q } = queue();
    q.add(key("a"), "resync");
    q.take();
    q.add(key("a"), first);
    q.add(key("a"), second);
    q.done(key("a"));
    expect(q.take()?.cause).toBe("change");
  }
});

it("keeps nothing of the thousands that have been through it", () => {
  const { queue: q } = queue();
  const seen: string[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    q.add(key(`${i}`), "change");
    q.add(key(`${i}-again`), "child");
    const next = q.take();
    if (next !== undefined) q.done(next.key);
    seen.push(next?.key ?? "");
  }
  seen.push(...drain(q));
  expect(new Set(seen).size).toBe(10_000);
  expect(seen.filter((it) => it.endsWith("-again"))).toEqual(Array.from({ length: 5_000 }, (_, i) => `a/${i}-again`));
});
