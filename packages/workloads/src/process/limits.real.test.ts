// The limit of a user on processes, which stops what grows faster than we look. It means nothing to root, so that this suite
// becomes somebody else; where it cannot, it says so.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { textOf } from "../../test/process/driver.ts";

const isRoot = process.getuid?.() === 0;
const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const canRun = isRoot && has("setpriv") && has("prlimit");
if (!canRun) console.log("limits of a user: needs root, setpriv and prlimit");

it.skipIf(!canRun)("a container of a user who is not root has a limit on tasks", async () => {
  const root = mkdtempSync(join(tmpdir(), "telltale-nobody-"));
  chmodSync(root, 0o777);
  const program = `
    import { drive, podOf, script } from ${JSON.stringify(new URL("../../test/process/driver.ts", import.meta.url).href)};
    const driver = await drive({ root: ${JSON.stringify(join(root, "pods"))}, maxProcesses: 20 });
    const pod = podOf([script("grep 'Max processes' /proc/self/limits")], { restartPolicy: "Never" });
    await driver.apply(pod);
    await driver.untilStates(pod, "terminated");
    process.stdout.write(await driver.logs(pod));
    await driver.stop();
  `;
  const user = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"];
  const server = spawn("setpriv", [...user, process.execPath, "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const text = textOf(server.stdout);
  await once(server, "close");
  const [, soft, hard] = /Max processes\s+(\d+)\s+(\d+)/.exec(await text) ?? [];
  expect(soft).toBe(hard);
  expect(Number(soft)).toBeGreaterThanOrEqual(4_096);
  expect(Number(soft)).toBeLessThan(10_000);
  rmSync(root, { recursive: true });
});
