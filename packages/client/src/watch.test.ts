import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { refusal, type Step, scripted } from "../test/scripted.ts";
import { createClient } from "./client.ts";
import { ConnectionError, isExpired, StreamError } from "./errors.ts";
import type { WatchOptions } from "./verbs.ts";

const event = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

function watching(steps: readonly [Step, ...Step[]], options: WatchOptions = {}) {
  const clock = new VirtualClock();
  const transport = scripted(...steps);
  const client = createClient({ transport, clock, random: seededRandom(1) });
  const seen: string[] = [];
  const over = (async () => {
    for await (const { type, object } of client.watch(ConfigMap, options))
      seen.push(`${type} ${object.metadata?.name}`);
    return "ended";
  })().catch((error: unknown) => error);
  return { clock, transport, seen, over };
}

describe("a watch", () => {
  it("gives typed events, however the stream is cut into chunks", async () => {
    const text = event("ADDED", "ä") + event("MODIFIED", "b") + event("DELETED", "c") + event("BOOKMARK", "d");
    const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
    const { seen, over, transport } = watching([{ chunks: bytes }], { resourceVersion: "7", namespace: "web" });
    expect(await over).toBe("ended");
    expect(seen).toEqual(["ADDED ä", "MODIFIED b", "DELETED c", "BOOKMARK d"]);
    expect(transport.lines()).toEqual([
      "GET /api/v1/namespaces/web/configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=7",
    ]);
    expect(transport.asked[0]?.stream).toBe(true);
  });

  it("asks for the initial events in the only way that the server allows", async () => {
    const { over, transport } = watching([{ chunks: [] }], { sendInitialEvents: true, timeoutSeconds: 60 });
    await over;
    expect(transport.lines()[0]).toContain(
      "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=60",
    );
  });

  it("throws an ERROR event as the error that it is", async () => {
    const gone = `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } })}\n`;
    const { seen, over } = watching([{ chunks: [event("ADDED", "a"), gone] }]);
    expect(isExpired(await over)).toBe(true);
    expect(seen).toEqual(["ADDED a"]);
  });

  it("throws a 410 at its start too", async () => {
    const { over } = watching([refusal(410, "Expired")]);
    expect(isExpired(await over)).toBe(true);
  });

  it.each([
    ["a line that was cut", [event("ADDED", "a"), `{"type":"ADD`], "cut"],
    ["a line that is no JSON", [event("ADDED", "a"), "%%%\n"], "garbled"],
    ["a line that is no event", [event("ADDED", "a"), "5\n"], "garbled"],
    ["an event of unknown type", [event("ADDED", "a"), event("MOVED", "b")], "garbled"],
  ])("says so of %s, after what came through whole", async (_name, chunks, fault) => {
    const { seen, over } = watching([{ chunks }]);
    const error = await over;
    expect(error).toBeInstanceOf(StreamError);
    expect((error as StreamError).fault).toBe(fault);
    expect(seen).toEqual(["ADDED a"]);
  });

  it("hands on a connection that broke", async () => {
    const broken = async function* () {
      yield event("ADDED", "a");
      throw new ConnectionError("body", "reset");
    };
    const { over } = watching([{ chunks: broken() }]);
    expect(await over).toMatchObject({ name: "ConnectionError", step: "body" });
  });

  const silent = async function* () {
    yield event("ADDED", "a");
    await new Promise(() => {});
  };

  it("is given up when nothing comes for too long, if that was asked for", async () => {
    const { clock, seen, over } = watching([{ chunks: silent() }], { idle: 90_000 });
    await clock.settle(89_000);
    expect(seen).toEqual(["ADDED a"]);
    await clock.settle(1_000);
    expect(await over).toMatchObject({ name: "StreamError", fault: "stalled" });
    expect(clock.next()).toBeUndefined();
  });

  it("otherwise stays open beyond the time for ordinary calls, until the caller's signal", async () => {
    const abort = new AbortController();
    const { clock, over } = watching([{ chunks: silent() }], { signal: abort.signal });
    await clock.settle(3_600_000);
    const reason = new Error("enough");
    abort.abort(reason);
    expect(await over).toBe(reason);
  });

  it("that does not begin is over in time", async () => {
    const { clock, over } = watching(["hang"]);
    await clock.settle(30_000);
    expect(await over).toMatchObject({ name: "TimeoutError" });
  });

  it("lets go of the stream when its reader leaves", async () => {
    let released = false;
    const endless = async function* () {
      try {
        for (;;) yield event("ADDED", "a");
      } finally {
        released = true;
      }
    };
    const transport = scripted({ chunks: endless() });
    const client = createClient({ transport, clock: new VirtualClock(), random: seededRandom(1) });
    for await (const _ of client.watch(ConfigMap)) break;
    await turn();
    expect([released, transport.asked[0]?.signal?.aborted]).toEqual([true, true]);
  });

  it("does not count the time in which its reader is busy as silence", async () => {
    const clock = new VirtualClock();
    const transport = scripted({ chunks: [event("ADDED", "a"), event("ADDED", "b")] });
    const client = createClient({ transport, clock, random: seededRandom(1) });
    let count = 0;
    for await (const _ of client.watch(ConfigMap, { idle: 1000 })) {
      count += 1;
      clock.advance(5000);
    }
    expect(count).toBe(2);
  });

  it("decodes its lines by the given decoder", async () => {
    const transport = scripted({ chunks: [event("ADDED", "a")] });
    const decode = (text: string) => JSON.parse(text.replace(`"a"`, `"z"`)) as unknown;
    const client = createClient({ transport, clock: new VirtualClock(), random: seededRandom(1), decode });
    for await (const { object } of client.watch(ConfigMap)) expect(object.metadata?.name).toBe("z");
  });
});
