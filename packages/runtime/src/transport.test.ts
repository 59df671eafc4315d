import { createClient, type Request } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { NotLeaderError } from "./fence.ts";
import { fenced, limited } from "./transport.ts";

/** A client whose server answers 503 all the time. `lost`: whether the lease is lost with the first request. */
function retrying({ lost }: { readonly lost: boolean }) {
  const clock = new VirtualClock();
  const sent: string[] = [];
  let isHeld = true;
  const inner = {
    async send({ method }: Request) {
      sent.push(method);
      if (lost) isHeld = false;
      return { status: 503, headers: {}, text: async () => "" };
    },
    close: async () => {},
  };
  const transport = fenced(inner as never, { allows: () => isHeld });
  const client = createClient({ transport, clock, random: seededRandom(1), fieldManager: "f", userAgent: "f" });
  const ended = async (call: Promise<unknown>) => {
    const end = call.catch((error: unknown) => error);
    await clock.settle(60_000);
    return end;
  };
  const metadata = { name: "a", namespace: "n", resourceVersion: "1" };
  const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata };
  return { sent, write: () => ended(client.update(ConfigMap, object)), read: () => ended(client.list(ConfigMap)) };
}

test("a write that is tried again is not sent once the lease is lost", async () => {
  const { sent, write } = retrying({ lost: true });
  expect(await write()).toBeInstanceOf(NotLeaderError);
  expect(sent).toEqual(["PUT"]);
});

test("the same write is tried to the end while the lease is held", async () => {
  const { sent, write } = retrying({ lost: false });
  expect(await write()).not.toBeInstanceOf(NotLeaderError);
  expect(sent).toHaveLength(5);
});

test("who holds no lease may read", async () => {
  const { sent, read } = retrying({ lost: true });
  expect(await read()).not.toBeInstanceOf(NotLeaderError);
  expect(sent).toHaveLength(5);
});

function stage() {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const inner = {
    async send({ path }: Request) {
      sent.push(`${clock.uptime() - began} ${path.split("/").at(-1)}`);
      return new Response("");
    },
    close: async () => {},
  };
  const began = clock.uptime();
  const { send } = limited(inner as never, clock, { perSecond: 10, burst: 2 });
  const post = (path: string) => void send({ method: "POST", path, headers: {} } as never);
  const get = (path: string) => void send({ method: "GET", path, headers: {} } as never);
  return { clock, sent, post, get };
}

test("who holds no lease may ask for the head of what it would read", async () => {
  const asked: string[] = [];
  const inner = { send: async ({ method }: Request) => void asked.push(method), close: async () => {} };
  const { send } = fenced(inner as never, { allows: () => false });
  await send({ method: "HEAD", path: "/", headers: {} } as never);
  expect(() => send({ method: "PATCH", path: "/", headers: {} } as never)).toThrow(NotLeaderError);
  expect(asked).toEqual(["HEAD"]);
});

test("so many at once, then one at a time", async () => {
  const { clock, sent, post } = stage();
  for (const name of "abcd") post(`/api/v1/pods/${name}`);
  await clock.settle(1_000);
  expect(sent).toEqual(["0 a", "0 b", "100 c", "200 d"]);
});

test("an Event gives way to requests that come after it", async () => {
  const { clock, sent, post } = stage();
  for (const name of "abc") post(`/api/v1/pods/${name}`);
  post("/api/v1/namespaces/x/events");
  await clock.settle(50);
  for (const name of "de") post(`/api/v1/pods/${name}`);
  await clock.settle(1_000);
  expect(sent).toEqual(["0 a", "0 b", "100 c", "200 d", "300 e", "400 events"]);
});

test("what is only called so is no Event", async () => {
  const { clock, sent, post } = stage();
  for (const name of "abc") post(`/api/v1/pods/${name}`);
  post("/api/v1/namespaces/x/configmaps/events");
  post("/apis/example.com/v1/namespaces/x/events");
  await clock.settle(50);
  post("/api/v1/pods/d");
  await clock.settle(1_000);
  expect(sent).toEqual(["0 a", "0 b", "100 c", "200 events", "300 events", "400 d"]);
});

test("an Event has its turn in the end, however much there is to do", async () => {
  const { clock, sent, post } = stage();
  for (let i = 0; i < 400; i += 1) post(`/api/v1/pods/${i}`);
  post("/apis/events.k8s.io/v1/namespaces/x/events");
  await clock.settle(31_000);
  for (let i = 400; i < 500; i += 1) post(`/api/v1/pods/${i}`);
  await clock.settle(60_000);
  expect(sent.findIndex((it) => it.endsWith("events"))).toBe(400);
  expect(sent).toHaveLength(501);
});

test("a list of Events is no Event: it does not give way", async () => {
  const { clock, sent, post, get } = stage();
  for (const name of "abc") post(`/api/v1/pods/${name}`);
  get("/api/v1/namespaces/x/events");
  await clock.settle(50);
  post("/api/v1/pods/d");
  await clock.settle(1_000);
  expect(sent).toEqual(["0 a", "0 b", "100 c", "200 events", "300 d"]);
});
