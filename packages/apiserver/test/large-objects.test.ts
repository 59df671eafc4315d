// An object with very many members: what is done to it at a write is done once.
import { seededRandom, VirtualClock } from "@telltale/clock";
import { afterEach, expect, test, vi } from "vitest";
import { type ApiServer, startApiServer } from "../src/index.ts";
import type { JsonObject } from "../src/json.ts";

let server: ApiServer;
afterEach(() => server.stop());

const path = "/api/v1/namespaces/default/configmaps";
const send = (method: string, where: string, body: JsonObject, type = "application/json") =>
  server.client({ method, path: where, headers: { "content-type": type }, body: JSON.stringify(body) });

test("of a large object a write makes one text and sorts its members once", async () => {
  server = await startApiServer({ listen: false, clock: new VirtualClock(), random: seededRandom(1) });
  const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, `v${i}`]));
  const whole = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data };
  const texts = vi.spyOn(JSON, "stringify");
  const sorts = vi.spyOn(Array.prototype, "sort");
  const large = () => ({
    texts: texts.mock.results.filter(({ value }) => String(value).length > 50_000).length,
    sorts: sorts.mock.contexts.filter((it) => (it as unknown[]).length >= 5_000).length,
  });
  const counted = async (write: () => Promise<{ readonly status: number; readonly body: string }>) => {
    const answer = await write();
    const before = large();
    texts.mockClear();
    sorts.mockClear();
    return { status: answer.status, body: answer.body, ...before };
  };
  try {
    // The one text beside that of the request is what is stored, and answered. Its managedFields are sorted as it is.
    const made = await counted(() => send("POST", path, whole));
    expect(made).toMatchObject({ status: 201, texts: 2, sorts: 1 });
    const ordered = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    sorts.mockClear();
    const sorted = { ...whole, metadata: { name: "b" }, data: ordered };
    expect(await counted(() => send("POST", path, sorted))).toMatchObject({ status: 201, texts: 2, sorts: 0 });
    const changed = await counted(() =>
      send("PATCH", `${path}/a`, { metadata: { labels: { x: "y" } } }, "application/merge-patch+json"),
    );
    expect(changed).toMatchObject({ status: 200, texts: 1 });
    const read = await server.client({ method: "GET", path: `${path}/a` });
    expect(read.body).toBe(changed.body);
    expect(JSON.parse(made.body)).toMatchObject({ data, metadata: { managedFields: [{ operation: "Update" }] } });
  } finally {
    texts.mockRestore();
    sorts.mockRestore();
  }
});
