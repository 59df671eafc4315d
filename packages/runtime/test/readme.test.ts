import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Deployment } from "@telltale/kinds/builtin";
import { expect, it, vi } from "vitest";
import { main, Site } from "./readme.example.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

it("the README's example is the one that is checked here, and works", async () => {
  expect(read("../README.md")).toContain(read("./readme.example.ts"));
  const folder = mkdtempSync(join(tmpdir(), "telltale-readme-"));
  const server = await startApiServer();
  writeFileSync(join(folder, "kubeconfig"), server.kubeconfig());
  vi.stubEnv("KUBECONFIG", join(folder, "kubeconfig"));
  const transport = inProcessTransport(server.client);
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  await client.create(CustomResourceDefinition, toCrd(Site));
  const stop = new AbortController();
  const running = main(stop.signal);
  const ref = { name: "a", namespace: "default" };
  const until = async (reason: string) => {
    for await (const { type, object } of client.watch(Site, { sendInitialEvents: true })) {
      if (type === "BOOKMARK") continue;
      if (object.status?.conditions?.some((condition) => condition.reason === reason)) return object.status;
    }
    return undefined;
  };
  await client.create(Site, { apiVersion: Site.apiVersion, kind: Site.kind, metadata: ref, spec: { replicas: 2 } });
  expect(await until("Starting")).toMatchObject({ readyReplicas: 0 });
  await client.status.patch(Deployment, ref, { merge: { status: { replicas: 2, readyReplicas: 2 } } });
  expect(await until("AllServing")).toMatchObject({ readyReplicas: 2 });
  stop.abort();
  await running;
  vi.unstubAllEnvs();
  await server.stop();
  rmSync(folder, { recursive: true });
});
