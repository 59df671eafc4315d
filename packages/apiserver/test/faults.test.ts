// Trouble on purpose, as a client meets it: slowness in virtual time, errors before and after the write, cut connections, and
// rules that choose by count or by chance.
import { request } from "node:http";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import { type ApiServer, type FaultRule, type ServerOptions, startApiServer } from "../src/index.ts";

const path = "/api/v1/namespaces/default/configmaps";
let server: ApiServer;
let clock: VirtualClock;

afterEach(() => server.stop());

async function start(options: ServerOptions = {}): Promise<void> {
  clock = new VirtualClock();
  server = await startApiServer({ listen: false, clock, random: seededRandom(1), ...options });
}

const create = (name: string) =>
  server.client({
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
const get = (name: string) => server.client({ method: "GET", path: `${path}/${name}` });

/** Whether a promise is done once everything that can go on has gone on. */
async function done(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await turn();
  return settled;
}

describe("latency", () => {
  test("before: nothing happens until the time is up", async () => {
    await start();
    server.faults.add({ match: { verbs: ["create"] }, effect: { latencyMs: 200 } });
    const answer = create("a");
    expect(await done(answer)).toBe(false);
    clock.advance(199 as Ms);
    expect(await done(answer)).toBe(false);
    expect((await get("a")).status).toBe(404);
    clock.advance(1 as Ms);
    expect((await answer).status).toBe(201);
  });

  test("after: it has happened, and the client does not know yet", async () => {
    await start();
    server.faults.add({ match: { verbs: ["create"] }, effect: { latencyMs: 200, phase: "after" } });
    const answer = create("a");
    expect(await done(answer)).toBe(false);
    expect((await get("a")).status).toBe(200);
    clock.advance(200 as Ms);
    expect((await answer).status).toBe(201);
  });

  test("a range: chance decides within it", async () => {
    await start();
    server.faults.add({ match: { verbs: ["get"] }, effect: { latencyMs: [100, 300] } });
    const answers = Array.from({ length: 20 }, (_, i) => get(`n${i}`));
    await turn();
    clock.advance(99 as Ms);
    for (const answer of answers) expect(await done(answer)).toBe(false);
    clock.advance(101 as Ms);
    const early = await Promise.all(answers.map(done));
    expect(new Set(early)).toEqual(new Set([true, false]));
    clock.advance(100 as Ms);
    await Promise.all(answers);
  });
});

describe("errors", () => {
  test("without commit nothing is written, with it the client is told wrongly", async () => {
    await start();
    const refuse = (commit: boolean): FaultRule => ({
      match: { verbs: ["create"] },
      times: 1,
      effect: { status: 503, retryAfterSeconds: 7, commit },
    });
    server.faults.add(refuse(false));
    const lost = await create("a");
    expect([lost.status, lost.headers["retry-after"]]).toEqual([503, "7"]);
    expect(JSON.parse(lost.body)).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "ServiceUnavailable",
      code: 503,
    });
    expect((await get("a")).status).toBe(404);
    server.faults.add(refuse(true));
    expect((await create("b")).status).toBe(503);
    expect((await get("b")).status).toBe(200);
    expect((await create("c")).status).toBe(201);
  });

  test("a request that is never answered ends when its client gives up; with commit the write happened", async () => {
    await start();
    const send = (name: string, signal: AbortSignal) =>
      server.client({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metadata: { name } }),
        signal,
      });
    for (const commit of [false, true]) {
      server.faults.add({ match: { verbs: ["create"] }, times: 1, effect: { timeout: true, commit } });
      const patience = new AbortController();
      const answer = send(`commit-${commit}`, patience.signal);
      expect(await done(answer)).toBe(false);
      clock.advance(3_600_000 as Ms);
      expect(await done(answer)).toBe(false);
      patience.abort();
      await expect(answer).rejects.toThrow("gave up");
      expect((await get(`commit-${commit}`)).status).toBe(commit ? 200 : 404);
    }
  });

  test("an answer is cut after its first bytes, and the write happened", async () => {
    await start({ listen: { tls: false }, anonymous: true, authorization: "always-allow" });
    server.faults.add({ match: { verbs: ["create"] }, times: 2, effect: { resetConnection: true, afterBytes: 10 } });
    await expect(create("a")).rejects.toThrow("cut on purpose");
    let heard = "";
    const end = await new Promise((resolve) => {
      const out = request(
        { port: server.port, method: "POST", path, headers: { "content-type": "application/json" }, agent: false },
        (answer) => {
          answer.on("data", (chunk: Buffer) => {
            heard += chunk.toString();
          });
          answer.on("error", resolve);
          answer.on("end", () => resolve("a whole answer"));
        },
      );
      out.end(JSON.stringify({ metadata: { name: "b" } }));
    });
    expect(end).toMatchObject({ code: "ECONNRESET" });
    expect(heard).toBe('{"kind":"C');
    expect([(await get("a")).status, (await get("b")).status]).toEqual([200, 200]);
  });

  test("an error can have the body of a proxy on the way", async () => {
    await start();
    server.faults.add({ effect: { status: 502, body: "<h1>Bad Gateway</h1>" } });
    const answer = await get("a");
    expect([answer.status, answer.headers["content-type"], answer.body]).toEqual([
      502,
      "text/html",
      "<h1>Bad Gateway</h1>",
    ]);
  });

  test("a watch that loses events shows every other one", async () => {
    await start();
    server.faults.add({ match: { verbs: ["watch"] }, effect: { watch: { missEvery: 2 } } });
    const { stream } = await server.client({
      method: "GET",
      path: `${path}?watch=true&resourceVersion=${server.store.revision}`,
    });
    for (const name of ["a", "b", "c"]) await create(name);
    const names: string[] = [];
    for await (const line of stream ?? []) {
      names.push(JSON.parse(line).object.metadata.name);
      if (names.length === 2) break;
    }
    expect(names).toEqual(["a", "c"]);
  });

  test("events of different objects change places, those of one object never", async () => {
    await start();
    server.faults.add({ match: { verbs: ["watch"] }, effect: { watch: { reorderAcrossKeys: true } } });
    const { stream } = await server.client({
      method: "GET",
      path: `${path}?watch=1&resourceVersion=${server.store.revision}`,
    });
    for (const name of ["a", "b", "c"]) await create(name);
    await server.client({ method: "DELETE", path: `${path}/c` });
    await create("d");
    const seen: string[] = [];
    clock.advance(10 as Ms);
    for await (const line of stream ?? []) {
      const { type, object } = JSON.parse(line);
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 5) break;
    }
    expect(seen).toEqual(["ADDED b", "ADDED a", "ADDED c", "DELETED c", "ADDED d"]);
  });

  test("a rule can ask for headers, and for a revision to be past", async () => {
    await start();
    const effect = { status: 500 };
    server.faults.add({ id: "h", match: { headers: { "x-lane": "slow" } }, effect });
    const lane = (value: string) => server.client({ method: "GET", path, headers: { "X-Lane": value } });
    expect([(await lane("slow")).status, (await lane("fast")).status]).toEqual([500, 200]);
    server.faults.remove("h");
    server.faults.add({ match: { verbs: ["get"], afterRevision: server.store.revision }, effect });
    expect((await get("a")).status).toBe(404);
    expect((await create("a")).status).toBe(201);
    expect((await get("a")).status).toBe(500);
  });

  test("a cut connection is no answer, in the process and on a socket; with commit the write happened", async () => {
    await start({ listen: { tls: false }, anonymous: true, authorization: "always-allow" });
    server.faults.add({
      match: { verbs: ["create"], name: "" },
      times: 2,
      effect: { resetConnection: true, commit: true },
    });
    await expect(create("a")).rejects.toThrow("cut on purpose");
    expect((await get("a")).status).toBe(200);
    const failure = await new Promise((resolve) => {
      const out = request(
        { port: server.port, method: "POST", path, headers: { "content-type": "application/json" }, agent: false },
        (answer) => resolve(answer.statusCode),
      );
      out.on("error", resolve);
      out.end(JSON.stringify({ metadata: { name: "b" } }));
    });
    expect(failure).toMatchObject({ code: "ECONNRESET" });
    expect((await get("b")).status).toBe(200);
    expect((await create("c")).status).toBe(201);
  });
});

describe("which requests", () => {
  test("the n-th, every other, and so many times", async () => {
    await start();
    const codes = async (count: number) => {
      const found: number[] = [];
      for (let i = 0; i < count; i += 1) found.push((await get("none")).status);
      return found;
    };
    server.faults.add({ id: "third", match: { nth: 3 }, effect: { status: 500 } });
    expect(await codes(5)).toEqual([404, 404, 500, 404, 404]);
    server.faults.remove("third");
    server.faults.add({ id: "even", match: { nth: (n) => n % 2 === 0 }, effect: { status: 429 } });
    expect(await codes(4)).toEqual([404, 429, 404, 429]);
    server.faults.remove("even");
    server.faults.add({ id: "twice", times: 2, effect: { status: 504 } });
    expect(await codes(4)).toEqual([504, 504, 404, 404]);
    expect(server.faults.list()).toEqual([]);
    expect(server.faults.log().map((hit) => hit.rule)).toEqual(["third", "even", "even", "twice", "twice"]);
    expect(server.faults.log()).toEqual([]);
  });

  test("by verb, resource, namespace, name, user, agent and path; what is left out matches all", async () => {
    await start();
    const hits = async (match: FaultRule["match"]) => {
      const id = server.faults.add({ effect: { status: 500 }, ...(match === undefined ? {} : { match }) });
      const { status } = await server.client({
        method: "GET",
        path: `${path}/x?a=1`,
        headers: { "user-agent": "kubectl/1" },
      });
      server.faults.remove(id);
      return status === 500;
    };
    const matching: FaultRule["match"][] = [
      undefined,
      {},
      { verbs: ["get", "list"] },
      { group: "", resource: "configmaps" },
      { namespace: "default" },
      { name: "x" },
      { name: /^x$/ },
      { user: "admin" },
      { userAgent: /kubectl/ },
      { path: /a=1/ },
    ];
    for (const match of matching) expect(await hits(match), JSON.stringify(match)).toBe(true);
    const others: FaultRule["match"][] = [
      { verbs: ["list"] },
      { group: "apps" },
      { resource: "pods" },
      { subresource: "status" },
      { namespace: "kube-system" },
      { name: "y" },
      { name: /y/ },
      { user: "nobody" },
      { userAgent: /curl/ },
      { path: /a=2/ },
      { name: "x", verbs: ["delete"] },
    ];
    for (const match of others) expect(await hits(match), JSON.stringify(match)).toBe(false);
  });

  test("by chance: the seed decides, and the share is about right", async () => {
    const run = async (seed: number) => {
      await start({
        random: seededRandom(seed),
        faults: [{ match: { verbs: ["get"], probability: 0.3 }, effect: { status: 500 } }],
      });
      const found: number[] = [];
      for (let i = 0; i < 300; i += 1) found.push((await get("none")).status);
      await server.stop();
      return found;
    };
    const one = await run(5);
    expect(await run(5)).toEqual(one);
    expect(await run(6)).not.toEqual(one);
    const hit = one.filter((code) => code === 500).length;
    expect(hit).toBeGreaterThan(60);
    expect(hit).toBeLessThan(120);
  });
});
