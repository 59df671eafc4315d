import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startApiServer } from "../src/index.ts";

test("a write that cannot be stored is answered with 500, is not visible, and the server is no longer ready", async () => {
  const dir = mkdtempSync(join(tmpdir(), "telltale-full-"));
  const storage = { kind: "disk", dir, limits: { segmentBytes: 1 } } as const;
  const server = await startApiServer({ listen: false, storage });
  const send = async (method: string, path: string, body?: object) => {
    const answer = await server.client({
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return answer.status;
  };
  const path = "/api/v1/namespaces/default/configmaps";
  const create = (name: string) =>
    send("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });
  expect([await create("stored"), await send("GET", "/readyz")]).toEqual([201, 200]);
  rmSync(dir, { recursive: true }); // as a disk that takes no new file
  expect(await create("lost")).toBe(500);
  expect(await send("GET", `${path}/lost`)).toBe(404);
  expect(await send("GET", `${path}/stored`)).toBe(200);
  expect(await send("GET", "/readyz")).toBe(500);
  expect(await send("GET", "/readyz/storage")).toBe(500);
  expect(await send("GET", "/livez")).toBe(200);
  expect(await create("another")).toBe(500);
  await server.stop().catch(() => undefined);
});
