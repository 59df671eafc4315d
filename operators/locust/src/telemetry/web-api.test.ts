// The real adapters, against a stand-in on a loopback port with every fault that a socket can show.
import { execFile } from "node:child_process";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { startApiServer } from "@telltale/apiserver";
import { ConnectionError, inProcessTransport, TimeoutError, type Transport } from "@telltale/client";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import { standardConfig } from "../config.ts";
import type { Fault } from "../stand-in/faults.ts";
import { type StandIn, startStandIn } from "../stand-in/stand-in.ts";
import type { Target } from "./target.ts";
import { refusalOf, troubleOf, Unread } from "./trouble.ts";
import { webApi } from "./web-api.ts";

const master = { uid: "m", created: instant(0) };
const config = standardConfig.telemetry;
const noServer: Transport = {
  send: () => Promise.reject(new ConnectionError("connect", "https://secret.example: refused")),
  close: async () => {},
};
const api = webApi(config, noServer);

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function standIn(fault?: Fault): Promise<{ it: StandIn; clock: VirtualClock; target: Target }> {
  const clock = new VirtualClock();
  const it = await startStandIn({ clock, random: seededRandom(1), listen: {} });
  ends.push(() => it.stop());
  it.runner.join("demo-worker-a_1");
  if (fault !== undefined) it.faults.add(fault);
  return { it, clock, target: { at: "address", url: `${it.url}/stats/requests`, master } };
}

const never = new AbortController().signal;

/** What a read came to: the class of its trouble, or the status. */
async function outcome(target: Target, limits = config): Promise<string> {
  try {
    const answer = await webApi(limits, noServer).read(target, never);
    return refusalOf(answer)?.trouble.what ?? `${answer.status}`;
  } catch (error) {
    const { reason, what } = troubleOf(error);
    return `${reason}: ${what}`;
  }
}

describe("a read", () => {
  test("is one GET, on a connection of its own", async () => {
    const { it, target } = await standIn();
    const answer = await api.read(target, never);
    expect(answer).toMatchObject({ status: 200, type: "application/json" });
    expect(JSON.parse(answer.body)).toMatchObject({ worker_count: 1, state: "ready" });
    expect(it.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /stats/requests"]);
  });

  test("sends no credentials, no cookies, and closes the connection", async () => {
    const seen: object[] = [];
    const server = createHttp((request, response) => {
      seen.push(request.headers);
      response.writeHead(200, { "content-type": "application/json", "set-cookie": "a=b" }).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/stats/requests`;
    for (let i = 0; i < 2; i += 1) await api.read({ at: "address", url, master }, never);
    for (const headers of seen) {
      expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host"]);
      expect(headers).toMatchObject({ connection: "close" });
    }
  });

  test("A69 follows no redirect (telemetry)", async () => {
    const { it, target } = await standIn({ is: "status", code: 302 });
    expect(await api.read(target, never)).toMatchObject({ status: 302, body: "" });
    expect(it.requests).toHaveLength(1);
  });

  test.each([
    [{ is: "refuse" }, "MasterUnreachable: connection refused"],
    [{ is: "reset" }, "MasterUnreachable: connection reset"],
    [{ is: "huge" }, "InvalidResponse: too large"],
    [{ is: "html" }, "not JSON"],
    [{ is: "status", code: 401 }, "HTTP 401"],
    [{ is: "status", code: 503 }, "HTTP 503"],
    [{ is: "truncate" }, "200"],
    [{ is: "nan" }, "200"],
  ] satisfies [Fault, string][])("A70 meets %j (telemetry)", async (fault, what) => {
    const { target } = await standIn(fault);
    await turn();
    expect(await outcome(target)).toBe(what);
  });

  test.each([{ is: "hang" }, { is: "drip" }, { is: "slow", ms: 60_000 }] satisfies Fault[])(
    "is given up with its signal, whatever %j does",
    async (fault) => {
      const { it, target } = await standIn(fault);
      const stop = new AbortController();
      const reading = api.read(target, stop.signal);
      while (it.requests.length === 0) await turn();
      stop.abort(new TimeoutError("locust-web-api", 3000));
      await expect(reading).rejects.toBeInstanceOf(TimeoutError);
    },
  );

  test("gives up a body that is too large before it is there", async () => {
    let sent = 0;
    const server = createHttp((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => {
        for (sent += 1; response.write("x".repeat(65_536)); sent += 1);
        response.once("drain", more);
      };
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await outcome({ at: "address", url, master })).toBe("InvalidResponse: too large");
    expect(sent * 65_536).toBeLessThan(64 * 2 ** 20);
  });

  test("knows who does not speak HTTP, and who ends too soon", async () => {
    const texts = [
      ["SSH-2.0-x\r\n", "InvalidResponse: not HTTP"],
      [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
        "MasterUnreachable: connection reset",
      ],
    ] as const;
    for (const [text, what] of texts) {
      const server = createServer((socket) =>
        socket
          .on("error", () => {})
          .resume()
          .end(text),
      );
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      expect(await outcome({ at: "address", url, master })).toBe(what);
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test("knows a name that does not exist, and a TLS that is none", async () => {
    const { it } = await standIn();
    const tls = `${it.url?.replace("http:", "https:")}/stats/requests`;
    expect(await outcome({ at: "address", url: tls, master })).toBe("MasterUnreachable: TLS error");
    const url = "http://demo-master.perf.invalid:8089/stats/requests";
    expect(await outcome({ at: "address", url, master })).toBe("MasterUnreachable: name not found");
  });

  test("uses no proxy that the environment names", async () => {
    const { it } = await standIn();
    let asked = 0;
    const trap = createServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => trap.close(resolve)));
    const proxy = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    const env = {
      ...process.env,
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      NO_PROXY: "",
      no_proxy: "",
    };
    const script = `
      import { webApi } from ${JSON.stringify(new URL("./web-api.ts", import.meta.url).href)};
      const target = { at: "address", url: "${it.url}/stats/requests", master: {} };
      const { status } = await webApi({ maxBody: 1e6, tlsInsecure: false }, {}).read(target, AbortSignal.timeout(20_000));
      console.log(status);`;
    const said = await new Promise((resolve) => {
      execFile(process.execPath, ["--input-type=module", "-e", script], { env }, (_error, out) => resolve(out.trim()));
    });
    expect([said, asked]).toEqual(["200", 0]);
  });
});

describe("a read through the API server", () => {
  const path = "/api/v1/namespaces/perf/pods/http:demo-master-x:8089/proxy/stats/requests";
  const target: Target = { at: "proxy", path, master };

  /** A server that answers in pieces. */
  const serving = (status: number, body: readonly string[], type = "application/json") => {
    const asked: string[] = [];
    const transport: Transport = {
      async send({ method, path: at, headers }) {
        asked.push(`${method} ${at} ${JSON.stringify(headers)}`);
        const chunks = async function* () {
          yield* body;
        };
        return { status, headers: { "content-type": type }, text: async () => body.join(""), chunks };
      },
      close: async () => {},
    };
    return { asked, api: webApi({ ...config, maxBody: 10 }, transport) };
  };

  test("is one GET of the pod's proxy, with the server's own credentials only", async () => {
    const { asked, api: through } = serving(200, ['{"a":', "1}"]);
    expect(await through.read(target, never)).toEqual({ status: 200, type: "application/json", body: '{"a":1}' });
    expect(asked).toEqual([`GET ${path} {"accept":"application/json","accept-encoding":"identity"}`]);
  });

  test("is bounded, and drops what is no answer", async () => {
    await expect(serving(200, ["x".repeat(11)]).api.read(target, never)).rejects.toThrow("too large");
    expect(await serving(503, ["x".repeat(99)]).api.read(target, never)).toMatchObject({ status: 503, body: "" });
  });

  test("tells the API server's own refusal from a login of Locust", async () => {
    const status = (reason: string, code: number) =>
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code });
    const refusal = async (code: number, body: string[]) => {
      const answer = await serving(code, body).api.read(target, never);
      return refusalOf(answer)?.trouble;
    };
    const denied = status("Forbidden", 403);
    expect(await refusal(403, [denied.slice(0, 20), denied.slice(20)])).toEqual({
      reason: "PermissionDenied",
      what: "it may not get pods/proxy",
    });
    expect(await refusal(404, [status("NotFound", 404)])).toEqual({
      reason: "MasterUnreachable",
      what: "API server: HTTP 404",
    });
    expect(await refusal(403, ["<html>log in</html>"])).toMatchObject({ reason: "AuthenticationRequired" });
    expect(await refusal(403, ['{"kind":"Status"}'])).toMatchObject({ reason: "AuthenticationRequired" });
  });

  test("that does not get that far says where it stopped, and nothing of the server", async () => {
    const error = await api.read(target, never).catch((it: unknown) => it);
    expect(troubleOf(error)).toEqual({ reason: "MasterUnreachable", what: "API server: connect" });
    expect(String(error)).not.toContain("secret.example");
  });

  test("asks for a path that API servers have: a pod that is not there is HTTP 404", async () => {
    const server = await startApiServer({ listen: false, clock: new VirtualClock(), random: seededRandom(1) });
    ends.push(() => server.stop());
    const { status } = await webApi(config, inProcessTransport(server.client)).read(target, never);
    expect(refusalOf({ status, type: "", body: "" })?.trouble).toEqual({ reason: "InvalidResponse", what: "HTTP 404" });
  });
});

describe("trouble", () => {
  test.each([
    [301, "AuthenticationRequired"],
    [302, "AuthenticationRequired"],
    [303, "AuthenticationRequired"],
    [307, "AuthenticationRequired"],
    [401, "AuthenticationRequired"],
    [403, "AuthenticationRequired"],
    [404, "InvalidResponse"],
    [204, "InvalidResponse"],
    [500, "MasterUnreachable"],
    [503, "MasterUnreachable"],
  ] as const)("HTTP %i is %s", (status, reason) => {
    const trouble = refusalOf({ status, type: "application/json", body: "" })?.trouble;
    expect(trouble).toEqual({ reason, what: `HTTP ${status}` });
  });

  test.each([
    ["application/json", true],
    ["application/json; charset=utf-8", true],
    ["application/problem+json", true],
    ["text/html", false],
    ["text/json-ish", false],
    ["", false],
  ])("the type %j is JSON: %s", (type, isJson) => {
    expect(refusalOf({ status: 200, type, body: "" }) === undefined).toBe(isJson);
  });

  test("shows nothing of an error that nobody foresaw", () => {
    for (const error of [new Error("GET http://u:hunter2@x failed"), "hunter2", undefined, { code: "hunter2" }]) {
      expect(troubleOf(error)).toEqual({ reason: "MasterUnreachable", what: "connection failed" });
    }
    expect(new Unread("InvalidResponse", "not JSON").message).toBe("the Locust web API could not be read: not JSON");
    expect(troubleOf(new TimeoutError("x", 5)).what).toBe("timeout");
  });
});
