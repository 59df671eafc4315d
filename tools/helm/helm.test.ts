import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildHelm, findHelm, helmFor, serviceMonitorsBeside } from "./helm.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telltale-helm-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const env = () => ({ TELLTALE_CACHE: join(folder, "cache"), PATH: folder });

test("what lies beside it is fetched with it, and it is in the cache only when all of it is", async () => {
  const example = join(folder, "example/prometheus-operator-crd");
  mkdirSync(example, { recursive: true });
  writeFileSync(join(example, "monitoring.coreos.com_servicemonitors.yaml"), "kind: CustomResourceDefinition");
  const go = `PATH=/usr/bin:/bin\ncase "$1" in mod) echo '{"Dir":"${folder}"}';; build) echo built > "$6";; esac`;
  writeFileSync(join(folder, "go"), `#!/bin/sh\n${go}\n`);
  chmodSync(join(folder, "go"), 0o755);
  const place = await buildHelm(() => {}, env());
  expect(findHelm(env())).toBe(place);
  const definition = serviceMonitorsBeside(place) ?? "";
  expect(readFileSync(definition, "utf8")).toContain("CustomResourceDefinition");
  rmSync(definition);
  expect(findHelm(env())).toBeUndefined();
  expect(serviceMonitorsBeside(place)).toBeUndefined();
});

test("a suite is told in one line that it is skipped", () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(helmFor("the chart", env())).toBeUndefined();
  expect(said.mock.calls).toEqual([["skipped: the chart needs Helm; set TELLTALE_HELM or run: npm run helm\n"]]);
});
