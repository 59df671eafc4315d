// `telltale up --once` as a script runs it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
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
