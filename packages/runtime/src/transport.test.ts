import type { Request } from "@telltale/client";
import { VirtualClock } from "@telltale/clock";
import { expect, test } from "vitest";
import { limited } from "./transport.ts";

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
  return { clock, sent, post };
}

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
