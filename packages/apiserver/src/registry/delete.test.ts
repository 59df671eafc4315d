// How a pod leaves: marked and then gone, as whoever follows pods on a real server sees it.
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, expect, test } from "vitest";
import { at } from "../json.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import type { StoreEvent } from "../store/store.ts";

let server: ApiServer;
afterEach(() => server.stop());

const pods = "/api/v1/namespaces/default/pods";

async function begin(): Promise<StoreEvent[]> {
  server = await startApiServer({ listen: false, clock: new VirtualClock(), random: seededRandom(1) });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "b" }] } };
  const { status } = await server.client({ method: "POST", path: pods, body: JSON.stringify(pod) });
  expect(status).toBe(201);
  const events: StoreEvent[] = [];
  server.store.subscribe("//pods/", server.store.revision, (event) => events.push(event));
  return events;
}

const remove = () => server.client({ method: "DELETE", path: `${pods}/p` });

test("a pod that goes at once is marked first", async () => {
  const events = await begin();
  const { status } = await remove();
  expect(status).toBe(200);
  const seen = events.map(({ type, record }) => [
    type,
    at(record.object(), "metadata", "deletionGracePeriodSeconds"),
    at(record.object(), "metadata", "generation"),
  ]);
  expect(seen).toEqual([
    ["MODIFIED", 0, 2],
    ["DELETED", 0, 2],
  ]);
});

test("a pod that is written between its mark and its end goes all the same", async () => {
  const events = await begin();
  const label = { metadata: { labels: { a: "b" } } };
  const headers = { "content-type": "application/merge-patch+json" };
  const write = server.client({ method: "PATCH", path: `${pods}/p`, headers, body: JSON.stringify(label) });
  const [gone] = await Promise.all([remove(), write]);
  expect(gone.status).toBe(200);
  expect(events.at(-1)?.type).toBe("DELETED");
  expect(server.store.get("//pods/default/p")).toBeUndefined();
});
