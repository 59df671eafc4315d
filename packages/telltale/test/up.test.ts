// `telltale up --once` as a script runs it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program } from "../src/program/program.ts";
import { told } from "./told.ts";

interface Node {
  readonly kind: string;
  readonly name: string;
  readonly health: string;
}

test("every sample of an operator settles", async () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-up-"));
  const argv = ["up", "--once", "--json", "--operators", "capt", "--data", folder, "--timeout", "90s"];
  const first = await told(argv);
  expect(first).toMatchObject({ code: 0, err: "" });
  const { settled, trees } = JSON.parse(first.out) as { settled: boolean; trees: readonly Node[] };
  expect(settled).toBe(true);
  const of = (kind: string) => trees.filter((it) => it.kind === kind).map(({ name, health }) => `${name} ${health}`);
  expect(of("Cluster")).toEqual(["demo well", "existing well", "failing bad", "full well"]);
  expect(readFileSync(join(folder, "kubeconfig"), "utf8")).toContain("https://127.0.0.1:");

  rmSync(folder, { recursive: true, force: true });
}, 120_000);

test("what has not settled in time is named, and the end is 1", async () => {
  const { out, err, code } = await told(["up", "--once", "--memory", "--operators", "locust", "--timeout", "1s"]);
  expect(code).toBe(1);
  expect(err).toMatch(/^not settled after 1s: LocustTest default\/minimal \(/m);
  expect(out).toMatch(/LocustTest minimal/);
}, 60_000);

/** Ends the program as soon as it has printed something on standard output, or logged this. */
async function untilSaid(argv: readonly string[], step?: RegExp): Promise<{ out: string; err: string; code: number }> {
  const stop = new AbortController();
  let [out, err] = ["", ""];
  const env = { KUBECONFIG: "/nowhere/kubeconfig" };
  const stdout = {
    write(text: string) {
      out += text;
      if (step === undefined) stop.abort();
      return true;
    },
  };
  const stderr = {
    write(text: string) {
      err += text;
      if (step?.test(err) === true) stop.abort();
      return true;
    },
  };
  const code = await program({ argv, env, stdout, stderr, signal: stop.signal });
  return { out, err, code };
}

test("in a pipe, without --once, what has not settled in time is no settled: true", async () => {
  const { out, err } = await untilSaid(["up", "--json", "--memory", "--operators", "locust", "--timeout", "1s"]);
  expect((JSON.parse(out) as { settled: boolean }).settled).toBe(false);
  expect(err).toMatch(/^not settled after 1s: LocustTest default\/minimal \(/m);
}, 60_000);

test("--once that is interrupted says after how long, and does not say settled", async () => {
  const argv = ["up", "--once", "--memory", "--operators", "locust"];
  const { err, code } = await untilSaid(argv, /samples: /);
  expect(code).toBe(1);
  expect(err).toMatch(/^not settled after \d+s: LocustTest/m);
}, 60_000);
