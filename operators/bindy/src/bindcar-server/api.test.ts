import { VirtualClock } from "@telltale/clock";
import type { Log } from "@telltale/runtime";
import { Secret } from "@telltale/status";
import { expect, test } from "vitest";
import { SimulatedNameserver } from "../bindcar-simulated/nameserver.ts";
import { type ApiOptions, bindcarApi } from "./api.ts";
import { anybody, type Reviewed, sharedSecret, tokenReview } from "./authenticate.ts";
import { bindcarMetrics } from "./metrics.ts";
import { RateLimiter } from "./rate-limit.ts";
import { Turns } from "./turns.ts";

interface Sent {
  readonly body?: string | Buffer;
  readonly peer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function setUp(more: Partial<ApiOptions> = {}) {
  const clock = new VirtualClock();
  const nameserver = new SimulatedNameserver({ clock });
  const lines: string[] = [];
  const line = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: line, info: line, warn: line, error: line, with: () => log };
  const api = bindcarApi({ nameserver, authenticate: anybody, clock, version: "1.2.3", log, ...more });
  const ask = async (method: string, path: string, { body, peer = "10.0.0.9", headers = {} }: Sent = {}) => {
    const bytes = Buffer.from(body ?? "");
    const reply = await api({
      method,
      path,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      peer,
      body: async () => (bytes.length > 2 * 1024 * 1024 ? undefined : bytes),
    });
    return { ...reply, json: () => JSON.parse(reply.body) as Readonly<Record<string, unknown>> };
  };
  return { clock, ask, lines, nameserver };
}

test("A-140 each way to come without the token is told what is wrong, and no token is logged", async () => {
  const { ask, lines } = setUp({ authenticate: sharedSecret(new Secret("right-token")) });
  const as = async (authorization?: string) => {
    const it = await ask("GET", "/api/v1/zones", authorization === undefined ? {} : { headers: { authorization } });
    return [it.status, it.json()["error"]];
  };
  expect(await as()).toEqual([401, "Missing Authorization header"]);
  const format = "Invalid Authorization header format. Expected: Bearer <token>";
  expect(await as("Basic x")).toEqual([401, format]);
  expect(await as("Bearertoken")).toEqual([401, format]);
  expect(await as("Bearer ")).toEqual([401, "Empty token"]);
  expect(await as("Bearer wrong-token")).toEqual([401, "Invalid API token"]);
  expect(await as("Bearer right-token")).toEqual([200, undefined]);
  expect(lines.join("\n")).not.toMatch(/right-token|wrong-token/);
});

test("A-140 health and readiness are open, and nothing else is", async () => {
  const { ask } = setUp({ authenticate: sharedSecret(new Secret("t")), metrics: bindcarMetrics("1.2.3") });
  expect((await ask("GET", "/api/v1/health")).json()).toEqual({ status: "healthy", version: "1.2.3" });
  expect((await ask("GET", "/api/v1/ready")).json()).toEqual({ ready: true, checks: ["zone_dir: ok", "rndc: ok"] });
  expect((await ask("GET", "/metrics")).status).toBe(200);
  for (const path of ["/api/v1/server/status", "/api/v1/nothing", "/", "/api/v1/docs", "/api/v1/openapi.json"])
    expect([path, (await ask("GET", path)).status]).toEqual([path, 401]);
});

test("9.2 who is not ready says 503", async () => {
  const { ask, nameserver } = setUp();
  nameserver.checks = async () =>
    [
      { name: "zone_dir", ok: true },
      { name: "rndc", ok: false },
    ] as never;
  const { status, json } = await ask("GET", "/api/v1/ready");
  expect([status, json()]).toEqual([503, { ready: false, checks: ["zone_dir: ok", "rndc: failed"] }]);
});

const rules = {
  audiences: ["bindcar"],
  namespaces: ["bindy-system"],
  accounts: ["system:serviceaccount:bindy-system:bindy"],
};
const good: Reviewed = {
  authenticated: true,
  username: "system:serviceaccount:bindy-system:bindy",
  audiences: ["bindcar"],
};

test("A-141 a wrong audience, namespace or account is 401 Unauthorized, without detail", async () => {
  for (const [reviewed, status] of [
    [good, 200],
    [{ ...good, authenticated: false }, 401],
    [{ ...good, audiences: ["api"] }, 401],
    [{ ...good, audiences: [] }, 401],
    [{ ...good, username: "system:serviceaccount:other:bindy" }, 401],
    [{ ...good, username: "system:serviceaccount:bindy-system:other" }, 401],
    [{ ...good, username: "system:serviceaccount:bindy-system:bindy:x" }, 401],
    [{ ...good, username: "admin" }, 401],
  ] as const) {
    const clock = new VirtualClock();
    const { ask } = setUp({ authenticate: tokenReview({ rules, clock, review: async () => reviewed }) });
    const it = await ask("GET", "/api/v1/zones", { headers: { authorization: "Bearer x" } });
    expect([reviewed, it.status]).toEqual([reviewed, status]);
    if (status === 401) expect(it.json()).toEqual({ error: "Unauthorized" });
  }
});

test("9.6 a verdict is remembered for a minute, by the hash of the token; an API server that fails is asked again", async () => {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const refusals: string[] = [];
  let isUp = true;
  const authenticate = tokenReview({
    rules,
    clock,
    onRefusal: (why) => refusals.push(why),
    review: async (token) => {
      asked.push(token);
      if (!isUp) throw new Error("down");
      return good;
    },
  });
  for (const _ of [1, 2]) expect(await authenticate("Bearer a")).toBeUndefined();
  clock.advance(60_000);
  isUp = false;
  for (const _ of [1, 2]) expect(await authenticate("Bearer a")).toBe("Unauthorized");
  expect(asked).toHaveLength(3);
  expect(refusals).toEqual(["the API server could not be asked", "the API server could not be asked"]);
});

test("9.1 what is no body of ours is told by its code", async () => {
  const { ask } = setUp();
  const post = async (body: string | Buffer, headers = {}) =>
    (await ask("POST", "/api/v1/zones", { body, headers })).status;
  expect(await post("{}", { "content-type": "text/plain" })).toBe(415);
  expect(await post("{")).toBe(400);
  expect(await post(Buffer.from([0x22, 0xff, 0x22]))).toBe(400);
  expect(await post("[]")).toBe(422);
  expect(await post('{"zoneName": 5}')).toBe(422);
  expect(await post(" ".repeat(2 * 1024 * 1024 + 1))).toBe(413);
  const { status, json } = await ask("POST", "/api/v1/zones", { body: '{"zoneName": "a.b", "zoneType": "primary"}' });
  expect([status, json()]).toEqual([422, { error: "zoneConfig has to be an object", details: null }]);
  expect((await ask("GET", "/api/v1/zones/%zz")).status).toBe(400);
  expect((await ask("GET", "/api/v1/zones/..%2f..%2fetc%2fpasswd/status")).status).toBe(400);
  const put = await ask("PUT", "/api/v1/zones");
  expect([put.status, put.headers["allow"]]).toEqual([405, "POST, GET"]);
  expect((await ask("GET", "/api/v1/else")).status).toBe(404);
  expect((await ask("GET", "/api/v1/zones?page=2")).status).toBe(200);
});

test("A-146 who asks too much gets 429 with Retry-After, and others do not", async () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ requests: 60, periodSeconds: 60, burst: 10 }, clock);
  const { ask } = setUp({ limiter, clock });
  const codes: number[] = [];
  for (let i = 0; i < 1000; i += 1) codes.push((await ask("GET", "/api/v1/zones")).status);
  expect(codes.filter((code) => code === 200)).toHaveLength(10);
  const refused = await ask("GET", "/api/v1/zones");
  expect([refused.status, refused.headers["retry-after"], refused.body]).toEqual([429, "1", "Too Many Requests"]);
  expect(
    (await ask("GET", "/api/v1/zones", { peer: "10.0.0.8", headers: { "x-forwarded-for": "10.0.0.9" } })).status,
  ).toBe(200);
  expect((await ask("GET", "/api/v1/health")).status).toBe(200);
  clock.advance(1_000);
  expect((await ask("GET", "/api/v1/zones")).status).toBe(200);
  expect((await ask("GET", "/api/v1/zones")).status).toBe(429);
});

test("9.8 to raise the number of requests makes it faster", () => {
  const clock = new VirtualClock();
  const limiter = new RateLimiter({ requests: 600, periodSeconds: 60, burst: 1 }, clock);
  let passed = 0;
  for (let i = 0; i < 1000; i += 1) {
    if (limiter.take("a") === undefined) passed += 1;
    clock.advance(10);
  }
  expect(passed).toBe(100);
});

test("9.9 metrics have the route and not what was asked for", async () => {
  const { ask, lines } = setUp({ metrics: bindcarMetrics("1.2.3") });
  await ask("GET", "/api/v1/zones/very-private.example/status");
  await ask("BREW", "/api/v1/tea%22%7D");
  await ask("DELETE", "/api/v1/zones/very-private.example");
  const { body } = await ask("GET", "/metrics");
  expect(body).toContain('bindcar_http_requests_total{method="GET",path="/api/v1/zones/{z}/status",status="404"} 1');
  expect(body).toContain('bindcar_http_requests_total{method="other",path="unknown",status="404"} 1');
  expect(body).toContain('bindcar_zone_operations_total{operation="delete",result="error"} 1');
  expect(body).toContain('bindcar_app_info{version="1.2.3"} 1');
  expect(body).toContain(
    'bindcar_http_request_duration_seconds_bucket{method="GET",path="/api/v1/zones/{z}/status",le="+Inf"} 1',
  );
  expect(`${body}${lines.join()}`).not.toContain("very-private");
});

test("9.9 zones are counted when they are asked for, also those of an earlier process", async () => {
  const { ask, nameserver } = setUp({ metrics: bindcarMetrics("1.2.3") });
  const zones = async () => /^bindcar_zones_managed .*$/m.exec((await ask("GET", "/metrics")).body)?.[0];
  nameserver.zones = async () => ["a.example", "b.example"];
  expect(await zones()).toBe("bindcar_zones_managed 2");
  nameserver.zones = async () => {
    throw new Error("the disk is gone");
  };
  expect(await zones()).toBeUndefined();
});

test("9.1 of a failure only its code is told; the cause is for the log", async () => {
  const { ask, nameserver, lines } = setUp();
  nameserver.status = async () => {
    throw new Error("/etc/bind is gone");
  };
  const { status, json } = await ask("GET", "/api/v1/server/status");
  expect([status, json()]).toEqual([500, { error: "Internal server error", details: null, code: "INTERNAL" }]);
  expect(lines.join()).toContain("/etc/bind is gone");
});

test("9.1 documents are there where they are wanted", async () => {
  const { ask } = setUp({ docs: true });
  const paths = (await ask("GET", "/api/v1/openapi.json")).json()["paths"] as Readonly<Record<string, object>>;
  expect(Object.keys(paths["/api/v1/zones/{zone}/rrsets"] ?? {})).toEqual(["get", "put"]);
  expect((await ask("GET", "/api/v1/docs")).body).toContain("/api/v1/zones/{z}/retransfer");
});

test("changes of one zone come one after the other, also after one that failed", async () => {
  const turns = new Turns();
  const done: string[] = [];
  const first = turns.take("a", async () => {
    await Promise.resolve();
    done.push("first");
    throw new Error("no");
  });
  const second = turns.take("a", async () => void done.push("second"));
  const other = turns.take("b", async () => void done.push("other"));
  await expect(first).rejects.toThrow("no");
  await Promise.all([second, other]);
  expect(done).toEqual(["other", "first", "second"]);
});
