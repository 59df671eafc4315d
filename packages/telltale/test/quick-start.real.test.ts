// Every command of docs/quick-start.md, in a shell, in the order of the page. Only `npm ci` is left out: it would take away what runs this.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";

const assets = assetsFor("the commands of docs/quick-start.md");
const root = fileURLToPath(new URL("../../..", import.meta.url));
const page = readFileSync(join(root, "docs/quick-start.md"), "utf8");
const lines = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
const home = mkdtempSync(join(tmpdir(), "telltale-home-"));
const made = join(root, "operators/web-shop");

const path = [assets ?? "", join(root, "node_modules/.bin"), process.env["PATH"] ?? ""].join(":");
const env = { PATH: path, HOME: home, TERM: "dumb", npm_config_update_notifier: "false" };
const said = (line: string) => {
  // As typed into one shell: what was exported is still there.
  const before = lines.filter((it) => it.startsWith("export "));
  const { status, stdout, stderr } = spawnSync("bash", ["-c", [...before, line].join("\n")], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
};

describe.skipIf(assets === undefined)("the quick start", () => {
  let up: ChildProcess;
  beforeAll(async () => {
    rmSync(made, { recursive: true, force: true });
    // In the foreground of a person's first terminal.
    up = spawn("npm", ["start"], { cwd: root, env, stdio: "ignore", detached: true });
    for (let tries = 0; !existsSync(join(home, ".local/state/telltale/kubeconfig")); tries += 1) {
      if (tries > 300) throw new Error("npm start did not start");
      await sleep(systemClock, 100);
    }
    // It takes its time to fail.
    said("kubectl wait locusttest/failing --for=create --timeout=60s");
    said("kubectl wait locusttest/failing --for=condition=TestCompleted --timeout=90s");
  });
  afterAll(() => {
    if (up?.pid !== undefined) process.kill(-up.pid, "SIGINT");
    rmSync(made, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });

  const typed = lines.filter((line) => !["npm ci", "npm start"].includes(line) && !line.startsWith("export "));
  test.each(typed)("%s", (line) => {
    const { status, out, err } = said(line);
    expect(status, `${out}${err}`).toBe(0);
    if (line.includes("why locusttest failing"))
      expect(out).toMatch(/has failed: Failed TestFailed.*because of\n.*Job/s);
    if (line.endsWith("telltale tree")) expect(out).toMatch(/✓ Bind9Cluster production-dns/);
    if (line.startsWith("kubectl get")) expect(out).toMatch(/captcluster.*failing-net/);
    // The second was not made by a sample, but found by one.
    if (line.includes("--once")) expect(out).toMatch(/✓ LocustTest full.*✓ VirtualMachine web-1/s);
  });
});
