import { expect, test } from "vitest";
import { VirtualMachine } from "../kinds/index.ts";
import { annotations, labels } from "../names.ts";
import { type MachineState, machineStateOf } from "./machine-state.ts";

interface Shape {
  readonly ready?: string;
  readonly reason?: string;
  readonly observed?: number;
  readonly status?: object;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly provisioning?: "True" | "False";
}

function machine({ ready, reason = "ProviderError", observed = 2, status, spec, provisioning, ...metadata }: Shape) {
  const condition = (type: string, is: string, why: string) => ({
    type,
    status: is,
    reason: why,
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  return {
    apiVersion: VirtualMachine.apiVersion,
    kind: VirtualMachine.kind,
    metadata: { name: "web-0", namespace: "demo", uid: "u", generation: 2, ...metadata },
    spec: { providerRef: { name: "p" }, classRef: { name: "c" }, imageRef: { name: "i" }, ...spec },
    status: {
      observedGeneration: observed,
      conditions: [
        ...(ready === undefined ? [] : [condition("Ready", ready, reason)]),
        ...(provisioning === undefined ? [] : [condition("Provisioning", provisioning, "Creating")]),
      ],
      ...status,
    },
  } as VirtualMachine;
}

const attempt = { [annotations.pendingOp]: "Create 1 2026-01-01T00:00:00Z" };
const running = { id: "m-1", phase: "Running", powerState: "On" };

const cases: readonly [string, Shape, MachineState][] = [
  ["nothing was ever reported", {}, "unobserved"],
  ["it is ready", { ready: "True", status: running }, "ready"],
  ["it was ready before its spec changed", { ready: "True", observed: 1, status: running }, "unobserved"],
  ["it was not ready before its spec changed", { ready: "False", observed: 1, status: running }, "unobserved"],
  ["its provider cannot be asked", { ready: "Unknown", reason: "ProviderUnreachable", status: running }, "unknown"],
  ["its provider fails while it is on", { ready: "False", status: running }, "notReady"],
  [
    "an unexpected error marked it Failed while it is on",
    { ready: "False", reason: "ReconcileFailed", status: { ...running, phase: "Failed" } },
    "notReady",
  ],
  ["it cannot be switched on", { ready: "False", status: { ...running, powerState: "Off" } }, "down"],
  [
    "it was off when its provider was last asked",
    { ready: "Unknown", reason: "ProviderUnreachable", status: { ...running, powerState: "Off" } },
    "unknown",
  ],
  [
    "it is switched off, as it should be",
    { ready: "False", reason: "Updating", spec: { powerState: "Off" }, status: { ...running, powerState: "Off" } },
    "notReady",
  ],
  ["one answer says that it does not exist", { ready: "False", reason: "VMNotFound", status: running }, "notReady"],
  [
    "it is proven that it does not exist",
    { ready: "False", reason: "VMNotFound", status: { ...running, phase: "Failed" } },
    "down",
  ],
  ["it waits for its image", { ready: "False", reason: "WaitingForDependencies" }, "down"],
  ["it waits for its provider to be created on", { ready: "Unknown", reason: "ProviderUnreachable" }, "notCreated"],
  ["its creation failed", { ready: "False", annotations: attempt, provisioning: "False" }, "down"],
  [
    "the answer to its creation was lost",
    { ready: "Unknown", reason: "ProviderUnreachable", annotations: attempt, provisioning: "True" },
    "unknown",
  ],
  [
    "it is being created",
    { ready: "False", reason: "Creating", annotations: attempt, status: { phase: "Provisioning" } },
    "down",
  ],
  [
    "it was being created when its provider was last asked",
    { ready: "Unknown", reason: "ProviderUnreachable", status: { id: "m-1", phase: "Provisioning" } },
    "unknown",
  ],
  [
    "its status was lost and its id is noted",
    { ready: "Unknown", reason: "ProviderUnreachable", annotations: { [annotations.providerId]: "m-1" } },
    "unknown",
  ],
  [
    "it is adopted and waits for its id",
    {
      ready: "False",
      reason: "WaitingForDependencies",
      labels: { [labels.adopted]: "true" },
      status: { phase: "Pending" },
    },
    "notReady",
  ],
];

test.each(cases)("where %s, the state of a machine is known that far", (_what, shape, state) => {
  expect(machineStateOf(machine(shape))).toBe(state);
});
