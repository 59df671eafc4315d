// What `docs/write-an-operator.md` tells its reader to type, typed: its files in a checkout, its commands in bash, with kubectl.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, until } from "../../../../tools/envtest/envtest.ts";

const assets = assetsFor("docs/write-an-operator.md: kubectl");
const root = fileURLToPath(new URL("../../../..", import.meta.url));
const page = readFileSync(join(root, "docs/write-an-operator.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, it]) => it === language).map(([, , code = ""]) => code);

describe.skipIf(assets === undefined)("a reader of the page", () => {
  const running = new Set<ChildProcess>();
  let checkout: string;

  beforeAll(() => {
    checkout = mkdtempSync(join(tmpdir(), "telltale-reader-"));
    for (const name of ["packages", "node_modules", "package.json", "vitest.config.ts"]) {
      symlinkSync(join(root, name), join(checkout, name));
    }
    const src = join(checkout, "operators/sandbox/src");
    mkdirSync(src, { recursive: true });
    const named = {
      "sandbox.ts": "if (import.meta.main)",
      "sandbox.test.ts": "vitest",
      "manifests.ts": "toCrd(Sandbox), ...",
    };
    for (const [name, mark] of Object.entries(named)) {
      const code = blocks("ts").find((block) => block.includes(mark));
      writeFileSync(join(src, name), code ?? "");
    }
  });
  afterAll(() => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
    rmSync(checkout, { recursive: true, force: true });
  });

  /** A terminal of its own. */
  const type = (commands: string) => {
    const env = { ...process.env, PATH: `${assets}:${process.env["PATH"]}` };
    const shell = spawn("bash", ["-ec", commands], {
      cwd: checkout,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.add(shell);
    shell.once("exit", () => running.delete(shell));
    return shell;
  };

  it("has the operator running, and sees a sandbox open", async () => {
    const [serve = "", operate = "", look = ""] = blocks("sh");
    type(serve.replace("npm ci\n", ""));
    await until("a kubeconfig", async () => existsSync(join(checkout, "kubeconfig")), Boolean);
    type(operate);
    const asked = () => said(type("kubectl --kubeconfig kubeconfig get sandboxes 2>&1 || true"));
    await until("a server that knows sandboxes", asked, (answer) => answer.includes("No resources found"));
    expect(await said(type(look))).toMatch(/NAME +READY +WHY +EXPIRES\ndemo +True +Open +\d{4}-/);
  });

  it("runs the test", async () => {
    const shell = type(blocks("sh").find((block) => block.includes("vitest")) ?? "exit 1");
    const [output, [code]] = await Promise.all([said(shell), once(shell, "exit")]);
    expect(output).toContain("1 passed");
    expect(code).toBe(0);
  });
});

const said = ({ stdout }: ChildProcess): Promise<string> => (stdout === null ? Promise.resolve("") : text(stdout));
