// The circuit breaker, as controllers meet it.
import { describe, expect, it } from "vitest";
import { box, setting } from "../../test/links.ts";
import { hang, honest, refuse, repeat, slow } from "../simulated/faults.ts";
import type { CallSample } from "./calls.ts";

const breaker = (samples: readonly CallSample[]) =>
  samples.flatMap((sample) => (sample.is === "breaker" ? [sample.at] : []));

describe("S20 breaker", () => {
  it("the eleventh call after ten failures is not sent; after a minute three that succeed close it", async () => {
    const { clock, host, ask, failure, samples } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE", "gone"), 10));
    for (let i = 0; i < 10; i += 1) expect(await failure(ask())).toBe("UNAVAILABLE gone");
    expect(await failure(ask())).toBe("UNAVAILABLE gone (circuit breaker open)");
    expect(host.asked("describe")).toHaveLength(10);
    clock.advance(59_999);
    expect(await failure(ask())).toBe("UNAVAILABLE gone (circuit breaker open)");
    clock.advance(1);
    for (let i = 0; i < 3; i += 1) expect(await failure(ask())).toBe("OK");
    expect(breaker(samples)).toEqual(["open", "halfOpen", "closed"]);
    expect(samples.filter(({ is }) => is === "counted")).toHaveLength(10);
  });

  it("what was never sent may be asked again without a look", async () => {
    const { host, ask } = setting();
    host.script("describe", repeat(refuse("INTERNAL"), 10));
    for (let i = 0; i < 10; i += 1) await ask().catch(() => undefined);
    const error = await ask().catch((one: unknown) => one);
    expect(error).toMatchObject({ failure: "Unavailable", isOutcomeUnknown: false });
  });

  it("a NOT_FOUND in between never counts", async () => {
    const { host, ask, failure } = setting();
    for (let i = 0; i < 9; i += 1) host.script("describe", refuse("UNAVAILABLE"), refuse("NOT_FOUND"));
    for (let i = 0; i < 18; i += 1) await failure(ask());
    expect(await failure(ask())).toBe("OK");
    host.script("describe", repeat(refuse("NOT_FOUND"), 50));
    for (let i = 0; i < 50; i += 1) await failure(ask());
    expect(await failure(ask())).toBe("OK");
  });

  it("an answer in between begins the row anew", async () => {
    const { host, ask, failure } = setting();
    host.script("describe", repeat(refuse("INTERNAL"), 9), honest, repeat(refuse("INTERNAL"), 9));
    for (let i = 0; i < 19; i += 1) await failure(ask());
    expect(await failure(ask())).toBe("OK");
  });

  it("half-open, the first of the three is the call that finds the minute over, and one failure opens it again", async () => {
    const { clock, host, ask, failure } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE", "gone"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    clock.advance(60_000);
    host.script("describe", repeat(slow(1_000, honest), 3));
    const sent = [1, 2, 3, 4].map(() => failure(ask()));
    expect(await sent[3]).toBe("UNAVAILABLE gone (circuit breaker open)");
    await clock.settle(1_000);
    expect(await Promise.all(sent.slice(0, 3))).toEqual(["OK", "OK", "OK"]);
    host.script("describe", repeat(refuse("UNAVAILABLE", "gone"), 11));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    clock.advance(60_000);
    expect(await failure(ask())).toBe("UNAVAILABLE gone");
    expect(await failure(ask())).toBe("UNAVAILABLE gone (circuit breaker open)");
  });

  it("trials that do not end hold nobody up for longer than a minute", async () => {
    const { clock, host, links, ask, failure, samples } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    clock.advance(60_000);
    host.script("exportDisk", repeat(hang, 3));
    const copies = [1, 2, 3].map(() => failure(links.of(box()).ask("exportDisk", {}, { deadline: 7_200_000 })));
    expect(await failure(ask())).toContain("circuit breaker open");
    await clock.settle(60_000);
    for (let i = 0; i < 3; i += 1) expect(await failure(ask())).toBe("OK");
    expect(breaker(samples).at(-1)).toBe("closed");
    await clock.settle(7_200_000);
    await Promise.all(copies);
  });

  it("an answer that says nothing of its health gives the trial back", async () => {
    const { clock, host, ask, failure } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10), repeat(refuse("NOT_FOUND"), 5));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    clock.advance(60_000);
    for (let i = 0; i < 5; i += 1) expect(await failure(ask())).toContain("NOT_FOUND");
    for (let i = 0; i < 4; i += 1) expect(await failure(ask())).toBe("OK");
  });

  it("a probe goes past an open breaker", async () => {
    const { host, links, ask, failure } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    expect(await links.of(box()).probe(10_000)).toMatchObject({ ok: true });
    expect(await failure(ask())).toContain("circuit breaker open");
  });

  it("probes close it once the minute is over", async () => {
    const { clock, host, links, ask, failure, samples } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    clock.advance(60_000);
    for (let i = 0; i < 3; i += 1) await links.of(box()).probe(10_000);
    expect(breaker(samples).at(-1)).toBe("closed");
  });
});
