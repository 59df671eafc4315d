// A new operator as it is made: its types are right, and it runs. That its tests pass is a line of docs/quick-start.md.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { createClient, inProcessTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyAll } from "../src/install/apply.ts";
import { told } from "./told.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(root, "packages/telltale/.cache");
let folder: string;
let server: ApiServer;

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  // Within the checkout, so that our packages are found as in operators/.
  folder = join(mkdtempSync(join(cache, "new-")), "web-shop");
  expect(await told(["new", "web-shop", "--into", folder])).toMatchObject({ code: 0 });
  server = await startApiServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const run = (program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "node_modules", program), ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, said: `${stdout}${stderr}` };
};

test("its types are right", () => {
  const config = {
    extends: join(root, "tsconfig.json"),
    include: ["src", "test"],
    compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  expect(run("typescript/bin/tsc", "-p", "tsconfig.json")).toMatchObject({ status: 0, said: "" });
});

test("it runs, with the manifests that it prints", async () => {
  const client = createClient({
    transport: inProcessTransport(server.client),
    clock: systemClock,
    random: systemRandom,
  });
  const { stdout } = spawnSync(process.execPath, ["src/manifests.ts"], { cwd: folder, encoding: "utf8" });
  const { items } = JSON.parse(stdout) as { items: readonly KubeObject[] };
  await applyAll(items, { client, clock: systemClock });
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfig());
  const env = { ...process.env, KUBECONFIG: kubeconfig, PORT: "0" };
  const child: ChildProcess = spawn(process.execPath, ["src/main.ts"], { cwd: folder, env, stdio: "ignore" });
  const spec = { image: "nginx", replicas: 1 };
  await applyAll(
    [{ apiVersion: "example.com/v1alpha1", kind: "WebShop", metadata: { name: "demo" }, spec } as KubeObject],
    { client, clock: systemClock },
  );
  let said = "";
  for (let tries = 0; tries < 150 && !said.includes("Starting"); tries += 1) {
    said = (await told(["why", "webshops", "--kubeconfig", kubeconfig])).out;
    await sleep(systemClock, 200);
  }
  child.kill("SIGTERM");
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
  expect(said).toMatch(/WebShop default\/demo is on its way: Starting/);
});
