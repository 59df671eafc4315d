// Every `sh` block of docs/production.md, in this process, in the order of the page, and what else it says that can be looked up.
// A `console` block needs kubectl and another controller: take-over.real.test.ts has both.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { sleep, systemClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../src/program/commands.ts";
import { type Told, told } from "./told.ts";

const page = readFileSync(new URL("../../../docs/production.md", import.meta.url), "utf8");
const lines = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));

describe("docs/production.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-production-"));
  const env = { KUBECONFIG: join(folder, "kubeconfig") };
  const stop = new AbortController();
  let server: ApiServer;
  let port: number;
  let running: Promise<Told> | undefined;
  let metrics = "";

  beforeAll(async () => {
    server = await startApiServer({});
    writeFileSync(env.KUBECONFIG, server.kubeconfig());
    port = await freePort();
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (url: string) => {
    const answer = await fetch(url.replace(":8080", `:${port}`));
    return { status: answer.status, text: await answer.text() };
  };

  /** Until it has started, or ended. */
  async function inBackground(argv: readonly string[]): Promise<void> {
    let ended: Told | undefined;
    running = told([...argv, "--port", String(port), "--webhook-port", "0"], env, stop.signal);
    void running.then((it) => {
      ended = it;
    });
    for (let tries = 0; tries < 200; tries += 1) {
      if (ended !== undefined) throw new Error(`${ended.out}${ended.err}`);
      const { status } = await ask("http://127.0.0.1:8080/readyz").catch(() => ({ status: 0 }));
      if (status === 200) return;
      await sleep(systemClock, 50);
    }
    throw new Error("it is not ready");
  }

  test.each(lines)("%s", async (line) => {
    const [program, ...words] = line.split(" ");
    if (program === "curl") {
      const { status, text } = await ask(words.at(-1) ?? "");
      expect(status).toBe(200);
      if (line.includes("verbose")) expect(text).toMatch(/^\[\+\]cache-locusttests\.locust\.io ok$/m);
      if (line.endsWith("/metrics")) metrics = text;
      return;
    }
    expect([program, words[0]]).toEqual(["npx", "telltale"]);
    const argv = words.slice(1);
    if (argv[0] === "run") return inBackground(argv);
    if (argv[0] === "uninstall" && !stop.signal.aborted) {
      stop.abort();
      expect(await running).toMatchObject({ code: 0 });
    }
    const { code, out, err } = await told(argv, env);
    expect(code, `${out}${err}`).toBe(0);
    if (argv[0] === "why") expect(out).not.toBe("");
  });

  test("the options that it names are there", () => {
    const known = new Set(commands.flatMap(({ options }) => Object.keys(options)));
    const names = [...page.replaceAll(/^kubectl .*$/gm, "").matchAll(/--([a-z][a-z-]*)(?![.\w])/g)].map(
      ([, name = ""]) => name,
    );
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test("the metrics that it names are there", () => {
    const names = [...page.matchAll(/`((?:[a-z]+_){2,}[a-z]+)`/g), ...page.matchAll(/`(workqueue_depth)`/g)];
    expect(names.length).toBeGreaterThan(15);
    for (const [, name = ""] of names) expect(metrics).toContain(`# TYPE ${name} `);
  });
});

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  await new Promise((resolve) => taken.close(resolve));
  return port;
}
