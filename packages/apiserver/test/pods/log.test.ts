// What containers have written, over a socket and in this process.
import { text } from "node:stream/consumers";
import { turn } from "@telltale/clock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Pipe } from "./fake-access.ts";
import { pods, type Stage, stage } from "./stage.ts";

let it: Stage;
beforeEach(async () => {
  it = await stage();
  await it.pod("p");
});
afterEach(() => it.server.stop());

const log = (query = "") => `${pods}/p/log?${query}`;
const asked = () => it.access.asked.map(({ options: { signal: _, ...options } }) => options);
const plain = { container: "main", follow: false, previous: false, timestamps: false };

describe("a log", () => {
  test("is what the container has written, as text", async () => {
    it.access.log = new Pipe().write("one\n").write("two\n").end();
    const answer = await it.ask(log());
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/plain"]);
    expect(await text(answer)).toBe("one\ntwo\n");
    expect(asked()).toEqual([plain]);
  });

  test("is asked for with everything that the query says", async () => {
    const more = "follow=true&timestamps=1&tailLines=5&limitBytes=100";
    await text(await it.ask(log(`container=main&${more}&sinceSeconds=60`)));
    await text(await it.ask(log("sinceTime=2026-01-01T00:00:01Z&follow=false")));
    const now = it.server.clock.now();
    expect(asked()).toEqual([
      { ...plain, follow: true, timestamps: true, tailLines: 5, limitBytes: 100, since: now - 60_000 },
      { ...plain, since: Date.parse("2026-01-01T00:00:01Z") },
    ]);
  });

  test("that is followed comes as it is written, to its end", async () => {
    const pipe = new Pipe();
    it.access.log = pipe;
    const answer = await it.ask(log("follow=true"));
    const lines = answer[Symbol.asyncIterator]();
    pipe.write("one");
    expect(String((await lines.next()).value)).toBe("one");
    pipe.write("two").end();
    expect(String((await lines.next()).value)).toBe("two");
    expect((await lines.next()).done).toBe(true);
  });

  test("is given up when nobody reads it any more", async () => {
    const pipe = new Pipe();
    it.access.log = pipe;
    const reader = new AbortController();
    const answer = await it.ask(log("follow=true"), { signal: reader.signal });
    answer.on("error", () => {});
    const { signal } = it.access.asked[0]?.options ?? {};
    const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    reader.abort();
    await aborted;
  });

  test("ends with the server", async () => {
    it.access.log = new Pipe();
    const answer = await it.ask(log("follow=true"));
    const ended = text(answer);
    await it.server.stop();
    expect(await ended).toBe("");
  });

  test("is not read faster than it is taken", async () => {
    let made = 0;
    it.access.log = (async function* flood() {
      for (; made < 2_000; made += 1) yield Buffer.alloc(100_000, "x");
    })();
    const answer = await it.ask(log());
    // Nobody reads: at some point there is no room left on the way.
    for (let before = -1, still = 0; still < 50; before = made) {
      await turn();
      still = made === before ? still + 1 : 0;
    }
    expect(made).toBeLessThan(1_000);
    let length = 0;
    for await (const chunk of answer) length += (chunk as Buffer).length;
    expect(length).toBe(2_000 * 100_000);
  });

  test("that breaks off is not taken for a whole one", async () => {
    it.access.log = (async function* broken() {
      yield Buffer.from("half a li");
      throw new Error("the disk is gone");
    })();
    const answer = await it.ask(log());
    await expect(text(answer)).rejects.toThrow("aborted");
  });
});

describe("in this process a log", () => {
  test("comes as bytes, as they are written", async () => {
    const pipe = new Pipe();
    it.access.log = pipe;
    const answer = await it.server.client({ method: "GET", path: log("follow=true") });
    const bytes = answer.bytes?.[Symbol.asyncIterator]();
    pipe.write("one");
    expect(Buffer.from((await bytes?.next())?.value ?? []).toString()).toBe("one");
    await bytes?.return?.();
    await turn();
    expect(pipe.isLeft).toBe(true);
  });

  test("ends with the signal of whoever reads", async () => {
    it.access.log = new Pipe();
    const reader = new AbortController();
    const answer = await it.server.client({ method: "GET", path: log("follow=true"), signal: reader.signal });
    const next = answer.bytes?.[Symbol.asyncIterator]().next();
    reader.abort();
    expect((await next)?.done).toBe(true);
    expect(it.access.asked[0]?.options.signal.aborted).toBe(true);
  });
});

describe("there is no log of", () => {
  const status = (state: object, more: object = {}) => ({
    containerStatuses: [{ name: "main", state, ready: false, restartCount: 0, image: "i", imageID: "", ...more }],
  });
  const waiting = (reason: string) => status({ waiting: { reason } });

  test.each([
    [
      "a container that has not started",
      waiting("ContainerCreating"),
      "",
      'container "main" in pod "q" is waiting to start: ContainerCreating',
    ],
    [
      "one whose image is not there",
      waiting("ErrImagePull"),
      "",
      'container "main" in pod "q" is waiting to start: image can\'t be pulled',
    ],
    [
      "one whose image is still not there",
      waiting("ImagePullBackOff"),
      "",
      'container "main" in pod "q" is waiting to start: trying and failing to pull image',
    ],
    ["one that nobody has looked at", {}, "", 'container "main" in pod "q" is not available'],
    [
      "the start before the first",
      status({ running: {} }),
      "previous=true",
      'previous terminated container "main" in pod "q" not found',
    ],
  ])("%s", async (_, said, query, expected) => {
    await it.pod("q", ["main"], said);
    expect(await it.refusal(`${pods}/q/log?${query}`)).toBe(`400 ${expected}`);
  });

  test("a container that is not named, where there are several", async () => {
    await it.pod("q", ["a", "b"]);
    expect(await it.refusal(`${pods}/q/log`)).toBe(
      "400 a container name must be specified for pod q, choose one of: [a b]",
    );
    expect(await it.refusal(`${pods}/q/log?container=c`)).toBe("400 container c is not valid for pod q");
    expect((await it.ask(`${pods}/q/log?container=b`)).statusCode).toBe(200);
  });

  test("a pod that is nowhere yet, but an empty one", async () => {
    await it.call("POST", pods, { metadata: { name: "q" }, spec: { containers: [{ name: "main", image: "i" }] } });
    expect(await it.call("GET", `${pods}/q/log`)).toMatchObject({ status: 200, body: "" });
  });

  test("what makes no sense", async () => {
    expect(await it.refusal(log("tailLines=x"))).toBe('400 strconv.ParseInt: parsing "x": invalid syntax');
    expect(await it.refusal(log("tailLines=-1"))).toBe(
      '422 PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(await it.refusal(log("limitBytes=0"))).toContain("limitBytes: Invalid value: 0: must be greater than 0");
    expect(await it.refusal(log("sinceSeconds=0"))).toContain("sinceSeconds: Invalid value: 0: must be greater than 0");
    expect(await it.refusal(log("sinceTime=yesterday"))).toMatch(/^400 parsing time "yesterday"/);
    expect(await it.refusal(log("sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z"))).toContain(
      "at most one of `sinceTime` or `sinceSeconds` may be specified",
    );
  });

  test("a pod that cannot be reached, and the reason is told", async () => {
    it.access.log = new Error("its folder is gone");
    expect(await it.refusal(log())).toBe("500 Internal error occurred: its folder is gone");
  });
});

test("a container that crashes has the log of its last run", async () => {
  const terminated = { exitCode: 1, containerID: "x" };
  const said = {
    name: "main",
    state: { waiting: { reason: "CrashLoopBackOff" } },
    lastState: { terminated },
    ready: false,
  };
  await it.pod("q", ["main"], { containerStatuses: [{ ...said, restartCount: 1, image: "i", imageID: "" }] });
  it.access.log = new Pipe().write("boom").end();
  expect(await text(await it.ask(`${pods}/q/log`))).toBe("boom");
});

test("without pods that run, a log is empty", async () => {
  await it.server.stop();
  it = await stage({ pods: undefined as never });
  await it.pod("p", ["main"], {});
  expect(await it.call("GET", log())).toMatchObject({ status: 200, body: "" });
});
