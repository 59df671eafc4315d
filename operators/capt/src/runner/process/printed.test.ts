import { describe, expect, it } from "vitest";
import { changesIn, errorsOf, isValid, progressIn } from "./printed.ts";

const line = (it: object) => `${JSON.stringify(it)}\n`;
const hook = (type: string, addr: string) => line({ "@level": "info", type, hook: { resource: { addr } } });

describe("the words of the first error", () => {
  it.each([
    ["╷\n│ Error: No value for required variable\n│ \n│   on main.tf line 1:", "No value for required variable"],
    ["\nWarning: old\n\nError: Unsupported argument\n\n  on main.tf", "Unsupported argument"],
    [
      "Error: Terraform encountered problems during initialisation, including problems\nwith the configuration, described below.\n\nError: Invalid block definition\n",
      "Invalid block definition",
    ],
    ["terraform cannot be started", "terraform cannot be started"],
    ["", "it said nothing"],
  ])("of %j are %j", (stderr, expected) => {
    expect(errorsOf("plan", "", stderr).summary).toBe(expected);
  });

  it("13.3 of JSON are its summary, and never what it quotes of the module", () => {
    const diagnostic = {
      severity: "error",
      summary: "creating VPC",
      detail: "limit",
      snippet: { values: [{ traversal: "var.x", statement: "is hush" }] },
    };
    const warning = { severity: "warning", summary: "old" };
    const stdout = `${line({ type: "diagnostic", diagnostic: warning }) + line({ type: "diagnostic", diagnostic })}half a l`;
    expect(errorsOf("apply", stdout, "")).toEqual({ summary: "creating VPC", text: "creating VPC\nlimit" });
    const validated = JSON.stringify({ valid: false, diagnostics: [warning, diagnostic] });
    expect(errorsOf("validate", validated, "").summary).toBe("creating VPC");
  });
});

describe("what else is read", () => {
  it("whether a module is valid", () => {
    expect([isValid('{"valid":true}'), isValid('{"valid":false}'), isValid("no")]).toEqual([true, false, false]);
  });

  it("how many changes a plan announces", () => {
    expect(changesIn("x\nPlan: 1 to import, 3 to add, 1 to change, 2 to destroy.\ny")).toBe(7);
    expect(changesIn("No changes.")).toBe(0);
  });

  it("12.6 how far an apply is, and at which resource", () => {
    const begun = hook("apply_start", "a.x") + hook("apply_start", "a.y") + hook("apply_complete", "a.x");
    expect(progressIn("apply", begun, 3)).toEqual({ operation: "apply", total: 3, done: 1, current: "a.y" });
    const planned = line({ type: "planned_change" }).repeat(4) + begun + hook("apply_errored", "a.y");
    expect(progressIn("apply", planned, 0)).toEqual({ operation: "apply", total: 4, done: 1 });
    expect(progressIn("destroy", "", 0)).toEqual({ operation: "destroy", total: 0, done: 0 });
  });
});
