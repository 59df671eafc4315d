import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { inProcessTransport, type Response } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Server } from "../src/network.ts";
import { past } from "../src/servers/past.ts";
import {
  backwards,
  ignoringStreamedLists,
  inShortPages,
  withoutBookmarks,
  withoutStreamedLists,
} from "../src/servers/skewed.ts";

let api: ApiServer;
let clock: VirtualClock;
let server: Server;
beforeEach(async () => {
  clock = new VirtualClock();
  api = await startApiServer({
    listen: false,
    clock,
    random: seededRandom(1),
    authorization: "always-allow",
    controllers: "none",
    bookmarkIntervalMs: 1_000,
  });
  const { send } = inProcessTransport(api.client);
  server = send;
  for (const name of ["a", "b", "c"]) await make(name);
});
afterEach(() => api.stop());

const place = "/api/v1/namespaces/default/configmaps";
const whole = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

async function make(name: string): Promise<string> {
  const body = JSON.stringify({ metadata: { name } });
  const headers = { "content-type": "application/json" };
  const made = JSON.parse(await (await server({ method: "POST", path: place, headers, body })).text()) as KubeObject;
  return made.metadata?.resourceVersion ?? "";
}

const ask = (of: Server, path: string) => of({ method: "GET", path, headers: {}, stream: path.includes("watch=") });

/** The names in a list. */
async function names(response: Response): Promise<readonly (string | undefined)[]> {
  const { items } = JSON.parse(await response.text()) as { readonly items: readonly KubeObject[] };
  return items.map(({ metadata }) => metadata?.name);
}

/** What a watch has told so far: `ADDED a`, `END 7`, `BOOKMARK 9`. */
async function told(response: Response): Promise<{ readonly lines: string[]; readonly pass: () => Promise<void> }> {
  const lines: string[] = [];
  const read = async () => {
    for await (const text of response.chunks()) {
      const { type, object } = JSON.parse(String(text)) as { readonly type: string; readonly object: KubeObject };
      const { name, resourceVersion, annotations } = object.metadata ?? {};
      if (type !== "BOOKMARK") lines.push(`${type} ${name}`);
      else lines.push(`${annotations === undefined ? "BOOKMARK" : "END"} ${resourceVersion}`);
    }
  };
  void read();
  await turn();
  return { lines, pass: turn };
}

describe("a server that lags", () => {
  test("lists what was there then, and tells of the rest when it has caught up", async () => {
    const revision = Number(await make("seen"));
    await make("unseen");
    const { promise, resolve } = Promise.withResolvers<void>();
    const lagging = past(server, revision, promise);
    expect(await names(await ask(lagging, `${place}?limit=500`))).toEqual(["a", "b", "c", "seen"]);
    const { lines, pass } = await told(await ask(lagging, `${place}?${whole}`));
    expect(lines).toEqual(["ADDED a", "ADDED b", "ADDED c", "ADDED seen", `END ${revision}`]);
    resolve();
    await pass();
    expect(lines.slice(5)).toEqual(["ADDED unseen"]);
  });

  test("goes on from a version as far as it has come, and is silent about the future", async () => {
    const before = Number(await make("seen"));
    const after = Number(await make("unseen"));
    const { promise, resolve } = Promise.withResolvers<void>();
    const lagging = past(server, before, promise);
    const early = await told(await ask(lagging, `${place}?watch=true&resourceVersion=${before - 1}`));
    const late = await told(await ask(lagging, `${place}?watch=true&resourceVersion=${after}`));
    await make("later");
    await turn();
    expect([early.lines, late.lines]).toEqual([["ADDED seen"], []]);
    resolve();
    await turn();
    expect([early.lines.slice(1), late.lines]).toEqual([["ADDED unseen", "ADDED later"], ["ADDED later"]]);
  });

  test("has each single object as it is, and writes", async () => {
    const lagging = past(server, api.store.revision, new Promise(() => {}));
    await make("unseen");
    expect((await ask(lagging, `${place}/unseen`)).status).toBe(200);
    expect((await lagging({ method: "DELETE", path: `${place}/unseen`, headers: {} })).status).toBe(200);
  });
});

describe("an older server", () => {
  test("may have streamed lists switched off", async () => {
    expect((await ask(withoutStreamedLists(server), `${place}?${whole}`)).status).toBe(422);
    expect((await ask(withoutStreamedLists(server), place)).status).toBe(200);
  });

  test("may never have heard of them: no list ends", async () => {
    const { lines } = await told(await ask(ignoringStreamedLists(server), `${place}?${whole}`));
    expect(lines).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  });

  test("may send no bookmarks but the one that ends a list", async () => {
    const plain = await told(await ask(server, `${place}?${whole}`));
    const { lines } = await told(await ask(withoutBookmarks(server), `${place}?${whole}`));
    const end = `END ${api.store.revision}`;
    await clock.settle(3_000);
    expect(lines).toEqual(["ADDED a", "ADDED b", "ADDED c", end]);
    expect(plain.lines.at(-1)).toMatch(/^BOOKMARK/);
  });
});

test("pages may be shorter than asked for", async () => {
  expect(await names(await ask(inShortPages(server, 1), `${place}?limit=500`))).toEqual(["a"]);
});

test("lists may have another order", async () => {
  expect(await names(await ask(backwards(server), place))).toEqual(["c", "b", "a"]);
  const { lines } = await told(await ask(backwards(server), `${place}?${whole}`));
  expect(lines).toEqual(["ADDED c", "ADDED b", "ADDED a", `END ${api.store.revision}`]);
});
