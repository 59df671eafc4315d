// The metrics of calls under their names (8.2): what `Links` tells, as families that an operator's meter takes.
import type { Families, Meter } from "@telltale/runtime";
import type { Method } from "../contract/contract.ts";
import { service } from "../contract/contract.ts";
import type { CallSample } from "./calls.ts";

const counter = (help: string, ...labels: readonly string[]) => ({ is: "counter", help, labels }) as const;
const gauge = (help: string, ...labels: readonly string[]) => ({ is: "gauge", help, labels }) as const;

/** From 1 ms, doubling, to 16 s: and beyond for what copies. */
const seconds = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

export const callFamilies = {
  virtrigaud_provider_rpc_requests_total: counter("Calls to providers, by code", "provider_type", "method", "code"),
  virtrigaud_provider_rpc_latency_seconds: {
    is: "histogram",
    help: "Time from a call to its answer",
    labels: ["provider_type", "method"],
    buckets: seconds,
  },
  virtrigaud_vm_operations_total: counter(
    "Operations on machines, by how they ended",
    "operation",
    "provider_type",
    "provider",
    "outcome",
  ),
  virtrigaud_provider_tasks_inflight: gauge(
    "Tasks of a provider that are not known to have ended",
    "provider_type",
    "provider",
  ),
  virtrigaud_circuit_breaker_state: gauge("0 closed, 1 half-open, 2 open", "provider_type", "provider"),
  virtrigaud_circuit_breaker_failures_total: counter(
    "Failures that the breaker of a provider counts",
    "provider_type",
    "provider",
  ),
} as const satisfies Families;

export type CallMetric = keyof typeof callFamilies;

const breakerStates = { closed: 0, halfOpen: 1, open: 2 } as const;

const operations: Readonly<Partial<Record<Method, string>>> = {
  create: "Create",
  delete: "Delete",
  power: "Power",
  describe: "Describe",
  reconfigure: "Reconfigure",
};

/** The label of a provider names its namespace too: two of one name are two. */
export function tellCall(meter: Meter<CallMetric>, sample: CallSample): void {
  const provider_type = sample.type;
  const of = { provider_type, provider: `${sample.namespace}/${sample.provider}` };
  switch (sample.is) {
    case "call": {
      const method = service.method[sample.method].name;
      meter.tell("virtrigaud_provider_rpc_requests_total", { provider_type, method, code: sample.code });
      meter.tell("virtrigaud_provider_rpc_latency_seconds", { provider_type, method }, sample.took / 1_000);
      const operation = operations[sample.method];
      if (operation === undefined) return;
      const outcome = sample.code === "OK" ? "success" : "error";
      meter.tell("virtrigaud_vm_operations_total", { operation, ...of, outcome });
      return;
    }
    case "tasks":
      meter.tell("virtrigaud_provider_tasks_inflight", of, sample.open);
      return;
    case "breaker":
      meter.tell("virtrigaud_circuit_breaker_state", of, breakerStates[sample.at]);
      return;
    case "counted":
      meter.tell("virtrigaud_circuit_breaker_failures_total", of);
      return;
    case "gone":
      meter.tell("virtrigaud_provider_tasks_inflight", of, 0);
      meter.tell("virtrigaud_circuit_breaker_state", of, breakerStates.closed);
  }
}
