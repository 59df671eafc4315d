import { seededRandom, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, it } from "vitest";
import { createClient } from "./client.ts";
import { type InProcessServer, inProcessTransport } from "./in-process.ts";

const world = { clock: new VirtualClock(), random: seededRandom(1) };

it("hands a request to the function, with several values of a header in one line, and its answer back", async () => {
  const asked: Parameters<InProcessServer>[0][] = [];
  const transport = inProcessTransport(async (request) => {
    asked.push(request);
    return { status: 200, headers: {}, body: `{"metadata":{"name":"a"}}` };
  });
  const client = createClient({ transport, ...world });
  expect((await client.get(ConfigMap, "a", { namespace: "web" })).metadata?.name).toBe("a");
  await client.request({ method: "POST", path: "/x", headers: { "impersonate-group": ["a", "b"] }, body: { y: 1 } });
  expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/api/v1/namespaces/web/configmaps/a", undefined],
    ["POST", "/x", `{"y":1}`],
  ]);
  expect(asked[1]?.headers["impersonate-group"]).toBe("a, b");
});

it("carries a watch, and ends it with the transport", async () => {
  const stream = async function* () {
    yield `{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n`;
    await new Promise(() => {});
  };
  let ended = false;
  const transport = inProcessTransport(async ({ signal }) => {
    signal?.addEventListener("abort", () => {
      ended = true;
    });
    return { status: 200, headers: {}, body: "", stream: stream() };
  });
  const client = createClient({ transport, ...world });
  const events = client.watch(ConfigMap);
  expect((await events.next()).value).toMatchObject({ type: "ADDED" });
  const next = expect(events.next()).rejects.toThrow("this transport was closed");
  await client.close();
  await next;
  expect(ended).toBe(true);
  await expect(client.request({ method: "GET", path: "/x" })).rejects.toMatchObject({ step: "closed" });
});

it("carries bytes that come by and by, whole or as they come", async () => {
  const bytes = async function* () {
    yield Buffer.from("one ");
    yield Buffer.from("two");
  };
  const transport = inProcessTransport(async () => ({ status: 200, headers: {}, body: "", bytes: bytes() }));
  const client = createClient({ transport, ...world });
  expect((await client.request({ method: "GET", path: "/log" })).text).toBe("one two");
  const chunks: string[] = [];
  for await (const chunk of (await transport.send({ method: "GET", path: "/log", headers: {} })).chunks())
    chunks.push(String(chunk));
  expect(chunks).toEqual(["one ", "two"]);
});
