import { type Condition, type ConditionStatus, formatTime, instant, plus } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import {
  controlPlaneWaits,
  deadline,
  inMinutes,
  type Limits,
  networkWaits,
  type Timeline,
  type Wait,
} from "./deadlines.ts";

const t0 = instant(Date.parse("2026-01-01T00:00:00Z"));
const minute = 60_000;
const limits: Limits = { overall: 30 * minute, vpc: 15 * minute, workspace: 15 * minute, secret: 5 * minute };
const at = (minutes: number) => plus(t0, minutes * minute);

type Statuses = Readonly<Record<string, readonly [ConditionStatus, since: number]>>;

/** Conditions as stored, and the same again as this pass has them, unless told otherwise. */
function timeline(stored: Statuses, more: Partial<Timeline> & { next?: Timeline["next"] } = {}): Timeline {
  const before = Object.entries(stored).map(
    ([type, [status, since]]): Condition => ({
      type,
      status,
      reason: "R",
      message: "",
      lastTransitionTime: formatTime(at(since)),
    }),
  );
  return { before, next: before, isRestarted: false, ...more };
}

const due = (waits: readonly Wait[], lines: Timeline, minutes: number, own: Partial<Limits> = {}) => {
  const { expired, wakeAt } = deadline(waits, lines, { ...limits, ...own }, at(minutes));
  return [expired?.reason, wakeAt === undefined ? undefined : (wakeAt - t0) / minute];
};

describe("9.2 the clocks of a network", () => {
  it("run from the moment at which their condition took its status", () => {
    expect(due(networkWaits, timeline({ VPCCreating: ["True", 0] }), 14)).toEqual([undefined, 15]);
    expect(due(networkWaits, timeline({ VPCCreating: ["True", 0] }), 15)).toEqual(["VPCReadyTimeout", undefined]);
    const workspace = timeline({ VPCCreating: ["False", 0], WorkspaceReady: ["False", 2] });
    expect(due(networkWaits, workspace, 17)).toEqual(["WorkspaceReadyTimeout", undefined]);
    const secret = timeline({ VPCCreating: ["True", 0], ConnectionSecretReady: ["False", 2] });
    expect(due(networkWaits, secret, 7)).toEqual(["SecretTimeout", 15]);
  });

  it("do not run while their condition is Unknown, and are over when it is True", () => {
    const quiet = timeline({ WorkspaceReady: ["Unknown", 0], ConnectionSecretReady: ["Unknown", 0] });
    expect(due(networkWaits, quiet, 600)).toEqual([undefined, undefined]);
    const done = timeline({
      WorkspaceReady: ["True", 0],
      ConnectionSecretReady: ["True", 0],
      VPCCreating: ["False", 0],
    });
    expect(due(networkWaits, done, 600)).toEqual([undefined, undefined]);
  });
});

describe("9.2 the clocks of a control plane", () => {
  it("the wait for the network is not charged to the control plane", () => {
    const waiting = timeline({ Creating: ["True", 0], InfrastructureReady: ["False", 0] });
    expect(due(controlPlaneWaits, waiting, 14)).toEqual([undefined, 15]);
    expect(due(controlPlaneWaits, waiting, 15)).toEqual(["VPCReadyTimeout", undefined]);
    const going = timeline({ Creating: ["True", 0], InfrastructureReady: ["True", 14] });
    expect(due(controlPlaneWaits, going, 43)).toEqual([undefined, 44]);
    expect(due(controlPlaneWaits, going, 44)).toEqual(["ControlPlaneTimeout", undefined]);
  });

  it("creation counts from the later of the two", () => {
    const reset = timeline({ Creating: ["True", 20], InfrastructureReady: ["True", 14] });
    expect(due(controlPlaneWaits, reset, 44)).toEqual([undefined, 50]);
  });

  it("the clock of Secrets runs for whichever of the two is missing", () => {
    for (const type of ["ConnectionSecretReady", "KubeconfigReady"]) {
      expect(due(controlPlaneWaits, timeline({ [type]: ["False", 1] }), 6)).toEqual(["SecretTimeout", undefined]);
    }
    const later = timeline({ ConnectionSecretReady: ["True", 1], KubeconfigReady: ["False", 4] });
    expect(due(controlPlaneWaits, later, 6)).toEqual([undefined, 9]);
  });
});

describe("9.3 evaluation", () => {
  it("TO-2 expired is: as long as the limit, not a moment less", () => {
    const lines = timeline({ VPCCreating: ["True", 0] });
    expect(deadline(networkWaits, lines, limits, plus(at(15), -1)).expired).toBeUndefined();
    expect(deadline(networkWaits, lines, limits, at(15)).expired?.reason).toBe("VPCReadyTimeout");
  });

  it("TO-4 the next look is on time for the nearest deadline", () => {
    const lines = timeline({
      VPCCreating: ["True", 0],
      WorkspaceReady: ["False", 3],
      ConnectionSecretReady: ["False", 9],
    });
    expect(due(networkWaits, lines, 10)).toEqual([undefined, 14]);
  });

  it("TO-5 another reason or message moves no clock", () => {
    const lines = timeline({ VPCCreating: ["True", 0] }, { next: [{ type: "VPCCreating", status: "True" }] });
    expect(due(networkWaits, lines, 15)).toEqual(["VPCReadyTimeout", undefined]);
  });

  it("TO-6 a clock without a start begins now", () => {
    const lines = timeline({}, { next: [{ type: "VPCCreating", status: "True" }] });
    expect(due(networkWaits, lines, 100)).toEqual([undefined, 115]);
    const flipped = timeline(
      { WorkspaceReady: ["Unknown", 0] },
      { next: [{ type: "WorkspaceReady", status: "False" }] },
    );
    expect(due(networkWaits, flipped, 100)).toEqual([undefined, 115]);
  });

  it("TO-7 another limit counts at once, from the old start", () => {
    const lines = timeline({ VPCCreating: ["True", 0] });
    expect(due(networkWaits, lines, 10, { vpc: 10 * minute })).toEqual(["VPCReadyTimeout", undefined]);
    expect(due(networkWaits, lines, 20, { vpc: 60 * minute })).toEqual([undefined, 60]);
  });

  it("TO-8 of several that expired the most specific is told", () => {
    const all = {
      VPCCreating: ["True", 0],
      WorkspaceReady: ["False", 0],
      ConnectionSecretReady: ["False", 0],
    } as const;
    expect(due(networkWaits, timeline(all), 99)[0]).toBe("SecretTimeout");
    const two = timeline({ VPCCreating: ["True", 0], WorkspaceReady: ["False", 0] });
    expect(due(networkWaits, two, 99)[0]).toBe("WorkspaceReadyTimeout");
  });

  it("TO-9 a start in the future is now", () => {
    expect(due(networkWaits, timeline({ VPCCreating: ["True", 50] }), 0)).toEqual([undefined, 15]);
  });

  it("TO-9 nothing has waited for longer than it has been there, whatever a slow clock has written", () => {
    const lines = timeline({ VPCCreating: ["True", -60] }, { madeAt: formatTime(at(0)) });
    expect(due(networkWaits, lines, 1)).toEqual([undefined, 15]);
  });

  it("a restart by a person begins every wait anew", () => {
    const lines = timeline({ VPCCreating: ["True", 0] }, { isRestarted: true });
    expect(due(networkWaits, lines, 100)).toEqual([undefined, 115]);
  });
});

it("a limit is shown in minutes", () => {
  expect([inMinutes(900_000), inMinutes(90_000)]).toEqual(["15m", "1.5m"]);
});
