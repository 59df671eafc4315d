// The example of section 4.8, as the server hands it out: defaults are filled in.
import { applyDefaults } from "@telltale/kinds";
import { LocustTest } from "../src/kinds/locust-test.ts";
import type { LocustTestSpec } from "../src/kinds/spec.ts";

/** The example, with these parts of its spec in place of its own. */
export function demo(parts: Partial<LocustTestSpec> = {}, name = "demo"): LocustTest {
  const spec = {
    image: "locustio/locust:2.46.3",
    master: {
      command: "--locustfile /lotest/src/test.py --host https://shop.example --users 100 --spawn-rate 10 --run-time 5m",
      autoquit: { enabled: true, timeout: 30 },
    },
    worker: { command: "--locustfile /lotest/src/test.py", replicas: 3 },
    testFiles: { configMapRef: "demo-scripts" },
    ...parts,
  };
  return {
    apiVersion: LocustTest.apiVersion,
    kind: LocustTest.kind,
    metadata: { name, namespace: "perf", uid: "1d0e1ab5-1111-4000-8000-000000000001", generation: 1 },
    spec: applyDefaults(LocustTest.schema.spec, spec),
  };
}

/** The master or the worker of the example, with these fields in place of its own. */
export const master = (fields: Partial<LocustTestSpec["master"]>) => ({ ...demo().spec.master, ...fields });
export const worker = (fields: Partial<LocustTestSpec["worker"]>) => ({ ...demo().spec.worker, ...fields });
