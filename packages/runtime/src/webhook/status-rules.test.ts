import { VirtualClock } from "@telltale/clock";
import { formatTime, instant } from "@telltale/kinds";
import { beforeEach, describe, expect, it } from "vitest";
import { admissionReview, Widget, widget } from "../../test/webhook/widget.ts";
import type { JsonObject } from "./json.ts";
import { type Webhooks, webhooks } from "./webhooks.ts";

const path = "/validate-example-com-v2-widget-status";
const clock = new VirtualClock();
const ago = (ms: number) => formatTime(instant(clock.now() - ms));
const hour = 3_600_000;

let hooks: Webhooks;
beforeEach(() => {
  hooks = webhooks({ clock }).statusRules(Widget, {
    writer: "system:serviceaccount:ops:operator",
    known: ({ object }) =>
      object.metadata?.annotations?.["example.com/reset"] === "yes" ? { restamped: ["Ready"] } : {},
  });
});

const ready = (more: object = {}) => ({
  type: "Ready",
  status: "True",
  reason: "Fine",
  message: "",
  lastTransitionTime: ago(hour),
  observedGeneration: 1,
  ...more,
});
const foreign = (status: string) => ({ ...ready(), type: "Foreign", status });

async function step(before: object, after: object, more: { username?: string; metadata?: object } = {}) {
  const { body } = await hooks.handle(
    path,
    admissionReview({
      operation: "UPDATE",
      subResource: "status",
      userInfo: { username: more.username ?? "somebody" },
      oldObject: widget({ size: 1 }, { status: before }),
      object: widget({ size: 1 }, { status: after, metadata: more.metadata ?? {} }),
    }),
  );
  const { allowed, status } = body["response"] as { allowed: boolean; status?: JsonObject };
  return allowed ? "allowed" : status;
}

describe("status rules at the door", () => {
  it("let through what a draft would write", async () => {
    const before = { phase: "Waiting", observedGeneration: 1, conditions: [ready()] };
    const broken = ready({ status: "False", reason: "Broken", lastTransitionTime: ago(0) });
    expect(await step(before, { ...before, phase: "Running", conditions: [broken] })).toBe("allowed");
  });

  it("refuse to leave a final phase, with the rule and the field", async () => {
    expect(await step({ phase: "Done" }, { phase: "Running" })).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: "status.phase: left the final phase Done for Running (status rule 53)",
      details: { causes: [{ field: "status.phase" }] },
    });
  });

  it("refuse a transition time that moves alone, unless a reset restarted it", async () => {
    const [before, after] = [{ conditions: [ready()] }, { conditions: [ready({ lastTransitionTime: ago(0) })] }];
    expect(await step(before, after)).toMatchObject({ message: expect.stringContaining("status rule 15") });
    expect(await step(before, after, { metadata: { annotations: { "example.com/reset": "yes" } } })).toBe("allowed");
  });

  it("refuse a flip that keeps its old time, but not two flips in one second", async () => {
    const flip = (at: string) =>
      [
        { conditions: [ready({ lastTransitionTime: at })] },
        { conditions: [ready({ status: "False", reason: "Broken", lastTransitionTime: at })] },
      ] as const;
    expect(await step(...flip(ago(hour)))).toMatchObject({
      message: expect.stringContaining("kept its transition time"),
    });
    expect(await step(...flip(ago(2_000)))).toBe("allowed");
  });

  it("hold only the operator to leaving others' conditions alone", async () => {
    const [before, after] = [{ conditions: [foreign("True")] }, { conditions: [foreign("False")] }];
    expect(await step(before, after)).toBe("allowed");
    expect(await step(before, after, { username: "system:serviceaccount:ops:operator" })).toMatchObject({
      message: expect.stringContaining("status rule 60"),
    });
  });

  it("are asked about the status only", async () => {
    const { body } = await hooks.handle(
      path,
      admissionReview({ operation: "UPDATE", object: widget({}), oldObject: widget({}) }),
    );
    expect(body["response"]).toMatchObject({
      status: { code: 400, message: expect.stringContaining("is about its status") },
    });
  });
});
