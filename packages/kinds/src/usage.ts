// Lets a test run record what an operator uses: which fields of specs and settings are read, and which statuses, reasons and
// metrics are written. Only `tools/usage` sets a recorder; without one every value passes unchanged.
import type { KindRef, KubeObject } from "./object.ts";

export interface UsageRecorder {
  /** The object as a controller gets it: reads of its spec are recorded. */
  object<T extends KubeObject | undefined>(kind: KindRef, object: T): T;
  objects<T extends KubeObject>(kind: KindRef, objects: T[]): T[];
  /** A changed copy of a spec that is read in place of it. */
  spec<S>(kind: KindRef, copy: S): S;
  settings<C>(operator: string, config: C): C;
  status(kind: KindRef, status: unknown): void;
  /** A metric that is declared, or that has a sample. */
  metric(name: string, state: "declared" | "sampled"): void;
}

const slot = Symbol.for("telltale.usage");
const holder = globalThis as { [slot]?: UsageRecorder };

const passing: UsageRecorder = {
  object: (_kind, object) => object,
  objects: (_kind, objects) => objects,
  spec: (_kind, copy) => copy,
  settings: (_operator, config) => config,
  status: () => {},
  metric: () => {},
};

export const usage = (): UsageRecorder => holder[slot] ?? passing;
