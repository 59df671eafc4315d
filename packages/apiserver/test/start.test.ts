// Starting: where the server says that it is, and what a start that failed leaves behind.
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startApiServer } from "../src/index.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === "::1"));

test("a start that fails names the object, and leaves the folder and the port to the next one", async () => {
  const dir = mkdtempSync(join(tmpdir(), "telltale-start-"));
  const free = await startApiServer({ listen: { tls: false } });
  const port = free.port ?? 0;
  await free.stop();
  const options = { storage: { kind: "disk", dir }, listen: { port, tls: false } } as const;
  const bad = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
  await expect(startApiServer({ ...options, objects: [bad] })).rejects.toThrow(
    "example.com/v1 Widget is not served; put its definition before it",
  );
  const server = await startApiServer(options);
  expect(server.port).toBe(port);
  await server.stop();
  rmSync(dir, { recursive: true });
});

test.runIf(hasIpv6)("a server on ::1 says so in its address and to discovery", async () => {
  const server = await startApiServer({
    listen: { host: "::1", tls: false },
    anonymous: true,
    authorization: "always-allow",
  });
  const answer = await new Promise((resolve, reject) => {
    get(`${server.url}/api`, (response) => resolve(json(response))).on("error", reject);
  });
  expect(server.url).toBe(`http://[::1]:${server.port}`);
  expect(answer).toMatchObject({ serverAddressByClientCIDRs: [{ serverAddress: `[::1]:${server.port}` }] });
  await server.stop();
});
