// Links to a simulated host: the limits, and when a new wire is opened.
import { turn, VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { box, setting } from "../../test/links.ts";
import type { Provider } from "../kinds/index.ts";
import { hang, honest, refuse, repeat, slow } from "../simulated/faults.ts";
import { Links } from "./links.ts";

const tls = (resourceVersion: string) => ({ cert: "c", key: "k", ca: "a", resourceVersion });

describe("limits", () => {
  it("at most four Describes at a time, and others come through meanwhile", async () => {
    const { clock, host, links } = setting();
    const link = links.of(box());
    host.script("describe", repeat(slow(1_000, honest)));
    const all = Array.from({ length: 10 }, () => link.ask("describe", { id: "x" }, { deadline: 30_000 }));
    await turn();
    expect(host.asked("describe")).toHaveLength(4);
    await link.ask("listVMs", {}, { deadline: 1_000 });
    await clock.settle(1_000);
    expect(host.asked("describe")).toHaveLength(8);
    await clock.settle(2_000);
    await Promise.all(all);
  });

  it("at most `maxConnections` calls at a time, half of them long ones", async () => {
    const { clock, host, links } = setting();
    const link = links.of(box({ connectionPooling: { maxConnections: 6 } }));
    host.script("clone", repeat(slow(1_000, refuse("NOT_FOUND"))));
    host.script("listVMs", repeat(slow(1_000, honest)));
    const clones = Array.from({ length: 5 }, () => link.ask("clone", {}, { deadline: 60_000 }).catch(() => undefined));
    await turn();
    const lists = Array.from({ length: 5 }, () => link.ask("listVMs", {}, { deadline: 60_000 }));
    await turn();
    expect([host.asked("clone").length, host.asked("listVMs").length]).toEqual([3, 3]);
    await clock.settle(3_000);
    await Promise.all([...clones, ...lists]);
  });

  it("so many calls per second, and a burst after a rest", async () => {
    const { clock, host, links } = setting();
    const link = links.of(box({ rateLimit: { qps: 2, burst: 3 } }));
    const all = Array.from({ length: 6 }, () => link.ask("listVMs", {}, { deadline: 30_000 }));
    await turn();
    expect(host.calls).toHaveLength(3);
    await clock.settle(10_000);
    await Promise.all(all);
    const began = host.calls[0]?.at ?? 0;
    expect(host.calls.map(({ at }) => Math.round((at - began) / 100) / 10)).toEqual([0, 0, 0, 0.5, 1, 1.5]);
  });

  it("a long rest earns no more than a burst", async () => {
    const { clock, host, links } = setting();
    const link = links.of(box({ rateLimit: { qps: 2, burst: 3 } }));
    clock.advance(3_600_000);
    const all = Array.from({ length: 6 }, () => link.ask("listVMs", {}, { deadline: 30_000 }));
    await turn();
    expect(host.calls).toHaveLength(3);
    await clock.settle(10_000);
    await Promise.all(all);
  });

  it("who gave up waiting for one thing gives back what it had already", async () => {
    const { clock, host, links, failure } = setting();
    const link = links.of(box({ connectionPooling: { maxConnections: 1 } }));
    host.script("listVMs", slow(60_000, honest));
    const first = link.ask("listVMs", {}, { deadline: 120_000 });
    const late = Array.from({ length: 4 }, () => failure(link.ask("describe", { id: "x" }, { deadline: 5_000 })));
    await clock.settle(5_000);
    for (const one of late) expect(await one).toContain("RESOURCE_EXHAUSTED");
    await clock.settle(60_000);
    await first;
    expect(await failure(link.ask("describe", { id: "x" }, { deadline: 5_000 }))).toBe("OK");
  });

  it("whose turn does not come within the deadline is told so, and nothing was sent", async () => {
    const { clock, host, links, failure } = setting();
    const link = links.of(box({ connectionPooling: { maxConnections: 1 } }));
    host.script("listVMs", hang);
    const first = failure(link.ask("listVMs", {}, { deadline: 60_000 }));
    await turn();
    const second = link.ask("listVMs", {}, { deadline: 5_000 }).catch((error: unknown) => error);
    await clock.settle(5_000);
    expect(await second).toMatchObject({ failure: "RateLimit", isOutcomeUnknown: false });
    await clock.settle(60_000);
    expect(await first).toContain("DEADLINE_EXCEEDED");
    expect(await failure(link.ask("listVMs", {}, { deadline: 5_000 }))).toBe("OK");
  });

  it("who goes away while waiting leaves the queue", async () => {
    const { clock, host, links, failure } = setting();
    const link = links.of(box({ connectionPooling: { maxConnections: 1 } }));
    host.script("listVMs", slow(1_000, honest));
    const first = link.ask("listVMs", {}, { deadline: 60_000 });
    const gone = new AbortController();
    const second = failure(link.ask("listVMs", {}, { deadline: 60_000, signal: gone.signal }));
    const third = link.ask("listVMs", {}, { deadline: 60_000 });
    await turn();
    gone.abort();
    expect(await second).toContain("CANCELLED");
    await clock.settle(1_000);
    await Promise.all([first, third]);
    expect(host.asked("listVMs")).toHaveLength(2);
  });

  it("limits that are changed count at once", async () => {
    const { clock, host, links } = setting();
    const narrow = links.of(box({ connectionPooling: { maxConnections: 1 } }));
    host.script("listVMs", repeat(slow(1_000, honest)));
    const all = [1, 2, 3].map(() => narrow.ask("listVMs", {}, { deadline: 60_000 }));
    await turn();
    expect(host.calls).toHaveLength(1);
    links.of(box());
    await turn();
    expect(host.calls).toHaveLength(3);
    await clock.settle(1_000);
    await Promise.all(all);
  });

  it("no timer is set for a call that does not wait", async () => {
    const { clock, ask } = setting();
    await ask();
    expect(clock.next()).toBeUndefined();
  });
});

describe("wires", () => {
  const secure = box({ runtime: { image: "i", service: { tls: { enabled: true } } } });

  it("one is kept while nothing changes", async () => {
    const { links, dialled } = setting();
    links.of(secure, tls("1"));
    links.of(secure, tls("1"));
    expect(dialled).toHaveLength(1);
    expect(dialled[0]).toMatchObject({
      endpoint: "box:9443",
      serverName: "virtrigaud-provider-demo-box.demo.svc.cluster.local",
      connectTimeout: 30_000,
      idleTimeout: 300_000,
    });
  });

  it("S21 client certificate rotated: the next call uses a new channel, and the old one is closed", async () => {
    const { links, dialled, failure } = setting();
    const old = links.of(secure, tls("1"));
    await old.ask("listVMs", {}, { deadline: 1_000 });
    await links.of(secure, tls("2")).ask("listVMs", {}, { deadline: 1_000 });
    expect(dialled.map((target) => target.tls?.resourceVersion)).toEqual(["1", "2"]);
    expect(await failure(old.ask("listVMs", {}, { deadline: 1_000 }))).toBe("OK");
  });

  it("another endpoint is another wire; a breaker that is open stays open", async () => {
    const { host, links, dialled, failure, ask } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    const moved = links.of(box({}, "other:9443"));
    expect(await failure(moved.ask("describe", { id: "x" }, { deadline: 1_000 }))).toContain("circuit breaker open");
    expect(dialled).toHaveLength(2);
  });

  it("two Providers of one name in two namespaces are two", async () => {
    const { links, dialled } = setting();
    const here = box();
    links.of(here);
    links.of({ ...here, metadata: { ...here.metadata, namespace: "other" } });
    expect(dialled).toHaveLength(2);
  });

  it("a Provider that is gone is forgotten, breaker and all", async () => {
    const { host, links, failure, ask, samples } = setting();
    host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
    for (let i = 0; i < 10; i += 1) await failure(ask());
    links.drop("demo", "box");
    expect(samples.at(-1)).toMatchObject({ is: "gone", provider: "box" });
    expect(await failure(ask())).toBe("OK");
  });

  it.each([
    ["no status", { ...box(), status: undefined }],
    ["no runtime", { ...box(), status: {} }],
    ["no endpoint", box({}, "")],
    ["TLS and no Secret", secure],
    ["no TLS block: a decision is missing", box({ runtime: { image: "i" } })],
  ])("%s: nothing is sent, and it is said why", async (_name, provider) => {
    const { links, dialled, failure } = setting();
    const link = links.of(provider as Provider);
    expect(await failure(link.ask("listVMs", {}, { deadline: 1_000 }))).toMatch(
      /^UNAVAILABLE Provider demo\/box has no/,
    );
    await expect(link.probe(1_000)).rejects.toThrow("Provider demo/box has no");
    expect(dialled).toEqual([]);
  });
});

it("an error of the wire that is no RpcError is an internal one", async () => {
  const clock = new VirtualClock();
  const dial = () => ({ ask: () => Promise.reject(new TypeError("odd")), close() {} });
  const link = new Links({ dial, clock }).of(box());
  await expect(link.ask("listVMs", {}, { deadline: 1 })).rejects.toMatchObject({
    failure: "Internal",
    code: "INTERNAL",
  });
});
