// Ports of pods: handed-on requests, by pod and by Service, and forwarded bytes.
import { createServer as createHttp, type Server } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pods, type Stage, stage } from "./stage.ts";

const services = "/api/v1/namespaces/default/services";
let it: Stage;
let program: Server;
const asked: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];

beforeEach(async () => {
  it = await stage();
  await it.pod("p");
  asked.length = 0;
  program = createHttp(async (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body: await text(request) });
    if (url.startsWith("/away")) response.writeHead(302, { location: "/there?x=1" }).end();
    else response.writeHead(url.startsWith("/teapot") ? 418 : 200, { "x-program": "yes" }).end(`answer to ${url}`);
  });
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
  it.access.addresses.set(8080, (program.address() as AddressInfo).port);
});
afterEach(async () => {
  await it.server.stop();
  program.closeAllConnections();
  program.close();
});

describe("a request through a pod", () => {
  test("is handed on as it is, and so is the answer", async () => {
    const answer = await it.ask(`${pods}/p:8080/proxy/teapot/a%20b?x=1&y=2`, {
      method: "POST",
      body: "hello",
      headers: {
        "x-mine": "1",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
        host: "here",
      },
      token: "admin",
    });
    expect([answer.statusCode, answer.headers["x-program"]]).toEqual([418, "yes"]);
    expect(await text(answer)).toBe("answer to /teapot/a%20b?x=1&y=2");
    const [{ method, url, headers, body } = { method: "", url: "", headers: {}, body: "" }] = asked;
    expect([method, url, body]).toEqual(["POST", "/teapot/a%20b?x=1&y=2", "hello"]);
    expect(headers).toMatchObject({ "x-mine": "1", "x-forwarded-host": "here" });
    for (const name of ["authorization", "x-hop"]) expect(headers).not.toHaveProperty(name);
  });

  test.each(["p:8080", "http:p:8080", "http:p:web", "p:web", "p", "http:p:"])("finds the port of %s", async (name) => {
    await it.call("DELETE", `${pods}/p?gracePeriodSeconds=0`);
    const ports = [{ name: "web", containerPort: 8080 }];
    const containers = [{ name: "main", image: "i", ports }];
    await it.call("POST", pods, { metadata: { name: "p" }, spec: { nodeName: "n", containers } });
    expect(await text(await it.ask(`${pods}/${name}/proxy/`))).toBe("answer to /");
  });

  test("to its root is sent there", async () => {
    const answer = await it.ask(`${pods}/p:8080/proxy?x=1`);
    expect([answer.statusCode, answer.headers.location]).toEqual([301, `${pods}/p:8080/proxy/?x=1`]);
    expect(asked).toEqual([]);
    expect(await text(await it.ask(`${pods}/p:8080/proxy`, { method: "POST" }))).toBe("answer to /");
  });

  test("that is redirected stays behind the proxy", async () => {
    const answer = await it.ask(`${pods}/p:8080/proxy/away`);
    expect([answer.statusCode, answer.headers.location]).toEqual([302, `${pods}/p:8080/proxy/there?x=1`]);
  });

  test("works in this process too", async () => {
    const answer = await it.server.client({ method: "GET", path: `${pods}/p:8080/proxy/x` });
    expect([answer.status, await text(answer.bytes ?? Readable.from([]))]).toEqual([200, "answer to /x"]);
  });

  test("is refused where nothing listens, or nothing answers", async () => {
    expect(await it.refusal(`${pods}/p:81/proxy/`)).toBe(
      "503 error trying to reach service: nothing listens on port 81 of pod p",
    );
    it.access.addresses.set(82, 1);
    expect(await it.refusal(`${pods}/p:82/proxy/`)).toBe(
      "503 error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused",
    );
  });

  test("is refused where its pod or its port is not told", async () => {
    expect(await it.refusal(`${pods}/none:80/proxy/`)).toBe('404 pods "none" not found');
    expect(await it.refusal(`${pods}/ftp:p:80/proxy/`)).toBe('400 invalid pod request "ftp:p:80"');
    expect(await it.refusal(`${pods}/p/proxy/`)).toBe("400 pod p names no port; ask for one: p:<port>");
    expect(await it.refusal(`${pods}/p:web/proxy/`)).toBe("400 pod p has no port of the name web");
  });
});

describe("a request through a Service", () => {
  const slice = (ready: boolean, pod = "p") => ({
    metadata: { generateName: "s-", labels: { "kubernetes.io/service-name": "s" } },
    addressType: "IPv4",
    ports: [{ name: "web", port: 8080, protocol: "TCP" }],
    endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready }, targetRef: { kind: "Pod", name: pod } }],
  });
  const put = (object: object) =>
    it.call("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", object);

  beforeEach(async () => {
    const ports = [{ name: "web", port: 80, targetPort: 8080 }];
    await it.call("POST", services, { metadata: { name: "s" }, spec: { ports } });
  });

  test("goes to a pod behind it that is ready", async () => {
    await put(slice(false, "other"));
    await put(slice(true));
    for (const name of ["s:80", "s:web", "http:s:web"])
      expect(await text(await it.ask(`${services}/${name}/proxy/x`))).toBe("answer to /x");
  });

  test("is refused where no pod is ready, or the port is none of its own", async () => {
    expect(await it.refusal(`${services}/s:80/proxy/`)).toBe('503 no endpoints available for service "s"');
    await put(slice(false));
    expect(await it.refusal(`${services}/s:80/proxy/`)).toBe('503 no endpoints available for service "s"');
    expect(await it.refusal(`${services}/s:81/proxy/`)).toBe('503 no service port 81 found for service "s"');
    expect(await it.refusal(`${services}/none:80/proxy/`)).toBe('404 services "none" not found');
  });
});

describe("forwarded ports", () => {
  const forward = (ports: string) => `${pods}/p/portforward?ports=${ports}`;

  test("carry bytes both ways, each on a channel of its own", async () => {
    const echo = createTcp((socket) => socket.on("data", (bytes) => socket.write(`<${bytes}>`)));
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    it.access.addresses.set(7, (echo.address() as AddressInfo).port);
    const talk = it.open(forward("7,9"), ["v4.channel.k8s.io"]);
    await talk.opened;
    talk.say(0, "hello");
    await talk.until(() => talk.on(0).includes(">") && talk.on(3).includes("nothing"));
    expect(talk.on(0)).toBe("\u0007\u0000<hello>");
    expect(talk.on(1)).toBe("\u0007\u0000");
    expect(talk.on(3)).toBe("\u0009\u0000error forwarding port 9: nothing listens there");
    talk.close();
    await talk.closed;
    echo.close();
  });

  test("are refused to those who speak SPDY, with another way", async () => {
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1" };
    expect(await it.refusal(forward("80"), { method: "POST", headers })).toBe(
      "501 kubectl forwards ports by SPDY, which is not served here; for HTTP use the proxy: kubectl get --raw /api/v1/namespaces/default/pods/p:<port>/proxy/",
    );
  });

  test("have to be ports", async () => {
    expect(await it.refusal(forward("0"))).toMatch(/^400 query parameter "ports"/);
    expect(await it.refusal(`${pods}/p/portforward`)).toMatch(/^400 query parameter "ports"/);
  });
});

test("without pods that run there is nothing to reach", async () => {
  await it.server.stop();
  it = await stage({ pods: undefined as never });
  await it.pod("p");
  await it.call("POST", services, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  const nowhere = "503 error trying to reach service: pods run nowhere that could be reached";
  expect(await it.refusal(`${pods}/p:80/proxy/`)).toBe(nowhere);
  expect(await it.refusal(`${services}/s:80/proxy/`)).toBe(nowhere);
  for (const what of ["exec", "attach", "portforward"])
    expect(await it.refusal(`${pods}/p/${what}`)).toBe(
      `501 ${what} needs pods that run as processes, and these do not`,
    );
});
