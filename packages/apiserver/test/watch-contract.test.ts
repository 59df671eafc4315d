// What a client may rely on, under trouble: whoever lists, follows and resumes ends with exactly what the server has, and
// has missed nothing on the way.
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type ApiServer, startApiServer, type WatchFault } from "../src/index.ts";

const path = "/api/v1/namespaces/default/configmaps";
const merge = "application/merge-patch+json";

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly continue?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface Event {
  readonly type: string;
  readonly object: Item & { readonly code?: number };
}

const started: ApiServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

async function start(seed = 1): Promise<{ server: ApiServer; clock: VirtualClock }> {
  const clock = new VirtualClock();
  const server = await startApiServer({ listen: false, clock, random: seededRandom(seed) });
  started.push(server);
  return { server, clock };
}

async function send(server: ApiServer, method: string, url: string, body?: object, type = "application/json") {
  const answer = await server.client({
    method,
    path: url,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    object: JSON.parse(answer.body) as { metadata: Item["metadata"]; items: Item[]; message: string; reason: string },
  };
}

/** A client as every controller has one: it lists, follows, resumes where it was, and lists again only when told to. */
class Follower {
  readonly known = new Map<string, Item>();
  /** Every event once, as it was first heard. */
  readonly heard: string[] = [];
  relists = 0;
  #version = "";
  #partial = "";
  #abort = new AbortController();
  readonly #server: ApiServer;
  readonly #query: string;
  readonly #agent: string;

  constructor(server: ApiServer, selector: string, agent: string, bookmarks: boolean) {
    this.#server = server;
    this.#query = `${selector === "" ? "" : `&${selector}`}${bookmarks ? "&allowWatchBookmarks=true" : ""}`;
    this.#agent = agent;
  }

  async list(): Promise<void> {
    const { status, object } = await send(this.#server, "GET", `${path}?limit=500${this.#query}`);
    expect(status).toBe(200);
    this.known.clear();
    for (const item of object.items) this.known.set(item.metadata.name, item);
    this.#version = object.metadata.resourceVersion;
  }

  /** Follows until the stream ends. Says whether the client has to list again. */
  async follow(timeout = 0): Promise<"ended" | "expired"> {
    this.#partial = "";
    this.#abort = new AbortController();
    const limit = timeout === 0 ? "" : `&timeoutSeconds=${timeout}`;
    const { stream = [] } = await this.#server.client({
      method: "GET",
      path: `${path}?watch=1&resourceVersion=${this.#version}${this.#query}${limit}`,
      headers: { "user-agent": this.#agent },
      signal: this.#abort.signal,
    });
    for await (const chunk of stream) {
      for (const line of this.#lines(chunk))
        if (this.#take(JSON.parse(line) as Event, line) === "expired") return "expired";
    }
    return "ended";
  }

  /** Keeps on following, whatever happens, until told to leave. */
  async run(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      if ((await this.follow()) === "expired") await this.#again();
      await turn();
    }
  }

  async #again(): Promise<void> {
    this.relists += 1;
    await this.list();
  }

  hangUp(): void {
    this.#abort.abort();
  }

  /** What is missing yet: from where it was to the present, without trouble. */
  async catchUp(clock: VirtualClock): Promise<void> {
    for (;;) {
      const ended = this.follow(1);
      await clock.settle(1_000 as Ms);
      if ((await ended) === "ended") return;
      await this.#again();
    }
  }

  #lines(chunk: string): string[] {
    const lines = (this.#partial + chunk).split("\n");
    this.#partial = lines.pop() ?? "";
    return lines;
  }

  #take({ type, object }: Event, line: string): "expired" | "fine" {
    if (type === "ERROR") {
      expect(object.code).toBe(410);
      return "expired";
    }
    const version = Number(object.metadata.resourceVersion);
    expect(version).toBeGreaterThanOrEqual(Number(this.#version)); // in order, and never twice but side by side
    const again = version === Number(this.#version);
    this.#version = object.metadata.resourceVersion;
    if (type === "BOOKMARK") return "fine";
    if (again) {
      expect(this.heard.at(-1)).toBe(line); // only what is sent twice may repeat a version
      return "fine";
    }
    this.heard.push(line);
    const before = this.known.get(object.metadata.name);
    expect(before === undefined, `${type} of ${object.metadata.name}`).toBe(type === "ADDED");
    if (type === "DELETED") this.known.delete(object.metadata.name);
    else this.known.set(object.metadata.name, object);
    return "fine";
  }
}

type Step =
  | { readonly do: "write"; readonly name: string; readonly label: string }
  | { readonly do: "delete"; readonly name: string }
  | { readonly do: "compact" }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "trouble"; readonly fault: WatchFault }
  | { readonly do: "hang up" };

const name = fc.constantFrom("a", "b", "c", "d");
const fault: fc.Arbitrary<WatchFault> = fc.oneof(
  fc.record({ dropAfterEvents: fc.nat(3), partialWrite: fc.boolean() }),
  fc.record({ duplicate: fc.constant(true) }),
  fc.record({ delayMs: fc.integer({ min: 1, max: 5_000 }) }),
  fc.record({ stallAfterEvents: fc.nat(2) }),
  fc.record({ expireNow: fc.constant(true) }),
  fc.record({ skipBookmarks: fc.constant(true), dropAfterEvents: fc.nat(4) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("write" as const), name, label: fc.constantFrom("x", "y", "z") }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 90_000 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("trouble" as const), fault }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("hang up" as const) }) },
);

let counter = 0;

async function take(server: ApiServer, clock: VirtualClock, followers: readonly Follower[], s: Step): Promise<void> {
  if (s.do === "write") {
    const object = { metadata: { name: s.name, labels: { is: s.label } }, data: { n: String(counter++) } };
    const { status } = await send(server, "POST", path, object);
    if (status === 409) expect((await send(server, "PATCH", `${path}/${s.name}`, object, merge)).status).toBe(200);
  } else if (s.do === "delete") await send(server, "DELETE", `${path}/${s.name}`);
  else if (s.do === "compact") server.compact();
  else if (s.do === "wait") await clock.settle(s.ms as Ms);
  else if (s.do === "trouble") {
    server.faults.add({ match: { verbs: ["watch"], userAgent: /troubled/ }, times: 1, effect: { watch: s.fault } });
  } else for (const follower of followers) follower.hangUp();
  await turn();
}

const selectors = ["", "labelSelector=is%3Dx", "labelSelector=is%21%3Dx", "fieldSelector=metadata.name%3Db"];

test("whoever resumes ends with what the server has, in order and with nothing missed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.integer(), async (steps, seed) => {
      const { server, clock } = await start(seed);
      const troubled = selectors.map((selector, i) => new Follower(server, selector, "troubled", i % 2 === 0));
      const calm = selectors.map((selector) => new Follower(server, selector, "calm", false));
      let stopped = false;
      for (const follower of [...troubled, ...calm]) await follower.list();
      const running = [...troubled, ...calm].map((follower) => follower.run(() => stopped));
      await turn();
      for (const one of steps) await take(server, clock, troubled, one);

      server.faults.clear();
      stopped = true;
      for (const follower of [...troubled, ...calm]) follower.hangUp();
      await Promise.all(running);
      for (const [i, follower] of troubled.entries()) {
        await follower.catchUp(clock);
        await calm[i]?.catchUp(clock);
        const { object } = await send(server, "GET", `${path}?${selectors[i]}`);
        const there = object.items.map((item) => [item.metadata.name, item.metadata.resourceVersion, item.data]);
        const known = [...follower.known.values()].map((item) => [
          item.metadata.name,
          item.metadata.resourceVersion,
          item.data,
        ]);
        expect(known.sort()).toEqual(there.sort());
        // Who never had to list again has heard what one without trouble heard.
        if (follower.relists === 0) expect(follower.heard).toEqual(calm[i]?.heard);
      }
      await server.stop();
      started.length = 0;
    }),
    { numRuns: 60 },
  );
}, 60_000);

test("the pages of a list together are the list as it was at the first page, whatever is written meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        step.filter((s) => s.do === "write" || s.do === "delete"),
        { maxLength: 30 },
      ),
      fc.integer({ min: 1, max: 4 }),
      async (steps, limit) => {
        const { server, clock } = await start();
        for (const label of "efghij") await take(server, clock, [], { do: "write", name: label, label: "x" });
        const whole = (await send(server, "GET", path)).object;
        const pages: Item[] = [];
        const rest = [...steps];
        let token = "";
        do {
          const { status, object } = await send(server, "GET", `${path}?limit=${limit}&continue=${token}`);
          expect(status).toBe(200);
          expect(object.metadata.resourceVersion).toBe(whole.metadata.resourceVersion);
          pages.push(...object.items);
          token = object.metadata.continue ?? "";
          for (const one of rest.splice(0, 5)) await take(server, clock, [], one);
        } while (token !== "");
        expect(pages).toEqual(whole.items);
        await server.stop();
        started.length = 0;
      },
    ),
    { numRuns: 30 },
  );
}, 60_000);

test("after compact() an old version is 410: for pages with a token to go on, for lists, and for watches as an event", async () => {
  const { server, clock } = await start();
  for (const each of ["a", "b", "c"]) await take(server, clock, [], { do: "write", name: each, label: "x" });
  const first = (await send(server, "GET", `${path}?limit=1`)).object;
  await take(server, clock, [], { do: "write", name: "d", label: "x" });
  server.compact();

  const second = await send(server, "GET", `${path}?limit=1&continue=${first.metadata.continue}`);
  expect([second.status, second.object.reason]).toEqual([410, "Expired"]);
  const onward = await send(server, "GET", `${path}?continue=${second.object.metadata.continue}`);
  expect(onward.object.items.map((item) => item.metadata.name)).toEqual(["b", "c", "d"]);

  const old = `resourceVersion=${first.metadata.resourceVersion}`;
  expect((await send(server, "GET", `${path}?${old}&resourceVersionMatch=Exact`)).status).toBe(410);
  const { stream = [] } = await server.client({ method: "GET", path: `${path}?watch=1&${old}` });
  const lines: string[] = [];
  for await (const chunk of stream) lines.push(chunk);
  expect(lines.map((line) => (JSON.parse(line) as Event).object.code)).toEqual([410]);
});
