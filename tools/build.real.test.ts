// What `npm run build` has made: programs that a package starts as processes of their own are there, with all that they load.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { skipOrFail } from "./require.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const built = globSync("{operators/{bindy,locust,virtrigaud},packages/workloads}/dist/index.js", { cwd: root });
if (built.length === 0) skipOrFail("the programs of published packages", "the build", "run: npm run build");

test.skipIf(built.length === 0).each(built)("%s names programs that are there", (index) => {
  const text = readFileSync(join(root, index), "utf8");
  expect(text).not.toMatch(/new URL\("\.\/[\w-]+\.ts"/);
  const programs = [...text.matchAll(/new URL\("(shared\/[\w-]+\.js)", import\.meta\.url\)/g)].map(([, path = ""]) =>
    join(root, dirname(index), path),
  );
  expect(programs.length).toBeGreaterThan(0);
  for (const program of programs) {
    const loaded = [...readFileSync(program, "utf8").matchAll(/import\("(\.\/[\w-]+\.js)"\)/g)];
    for (const [, path = ""] of loaded) expect(readFileSync(join(dirname(program), path), "utf8")).toContain("await ");
    expect(existsSync(program)).toBe(true);
  }
});

const workloads = join(root, "packages/workloads/dist/index.js");

test.skipIf(!existsSync(workloads))(
  "processes of pods end with a server that runs the built package",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "telltale-built-"));
    const server = spawn(
      process.execPath,
      [
        "--input-type=module",
        "--eval",
        `import { processRuntime } from ${JSON.stringify(pathToFileURL(workloads).href)};
      const runtime = processRuntime({ root: ${JSON.stringify(folder)} });
      await runtime.start({ wake() {} });
      const metadata = { name: "a", namespace: "default", uid: "u" };
      const pod = { metadata, spec: { containers: [{ name: "main", command: ["sleep", "600"] }] } };
      const refers = { configMap() {}, secret() {}, services: () => ({}), token: async () => ({ token: "", expires: 0 }) };
      setInterval(async () => {
        const { containers } = await runtime.sync(pod, Date.now(), refers);
        console.log(containers[0].state.is);
      }, 100);`,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const running = () =>
      globSync("/proc/[0-9]*/environ").filter((path) => {
        try {
          return readFileSync(path, "latin1").includes(`TELLTALE_ROOT=${folder}/`);
        } catch {
          return false;
        }
      });
    try {
      await vi.waitUntil(async () => String(await once(server.stdout, "data")).includes("running"), 20_000);
      expect(running()).toHaveLength(1);
      server.kill("SIGKILL");
      await vi.waitUntil(() => running().length === 0, 20_000);
    } finally {
      server.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
