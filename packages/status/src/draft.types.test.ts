// What must not compile. `tsc` reads this file; a line that compiles after all is an error there.
import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { draft } from "./draft.ts";
import { Secret, text } from "./text.ts";

const object: Widget = {
  apiVersion: "telltale.test/v1",
  kind: "Widget",
  metadata: { name: "w", uid: "u", generation: 1 },
  spec: { size: 1 },
};
const begin = () => draft(Widget, object, instant(0));
const secret = new Secret("hunter2");
const computed: string = ["from", "outside"].join(" ");

describe("the compiler", () => {
  it("rule 6: refuses a reason that is not declared, or that explains another status", () => {
    // @ts-expect-error no such reason
    begin().condition("Built", true, "Compleat", "");
    // @ts-expect-error a reason of False
    begin().condition("Built", true, "Building", "");
    begin().condition("Built", "Unknown", "NotStarted", "");
    expect(begin().condition("Built", true, "Complete", "")).toBeDefined();
  });

  it("refuses a condition type or a phase that is not declared", () => {
    // @ts-expect-error no such type
    begin().condition("Build", true, "Complete", "");
    // @ts-expect-error no such phase
    begin().phase("Runing");
    // @ts-expect-error no such guard
    begin().phase("Pending", "never");
    expect(begin().phase("Pending", "again")).toBeDefined();
  });

  it("rule 37: refuses to set a derived condition by hand", () => {
    // @ts-expect-error Ready is derived
    begin().condition("Ready", true, "Working", "");
    expect(Widget.conditions.types.Ready.form).toBe("derived");
  });

  it("allows any reason on a mirrored condition, and a child's reasons on a child", () => {
    begin().condition("Linked", true, "WhateverTheyHave", "");
    begin().condition("Part-3", false, "Loose", "");
    // @ts-expect-error a child has its family's reasons
    begin().condition("Part-3", false, "Complete", "");
    // @ts-expect-error not a child of this family
    begin().condition("Piece-3", false, "Loose", "");
    expect(Widget.conditions.types.Part.form).toBe("family");
  });

  it("refuses secrets and computed strings as messages", () => {
    // @ts-expect-error a secret
    begin().condition("Built", true, "Complete", secret);
    // @ts-expect-error a template with a secret in it
    begin().condition("Built", true, "Complete", `token ${secret}`);
    // @ts-expect-error a string from anywhere
    begin().condition("Built", true, "Complete", computed);
    begin().condition("Built", true, "Complete", text`size ${3}`);
    expect(`${secret}`).toBe("[secret]");
  });

  it("refuses a misspelt or wrongly typed status field", () => {
    // @ts-expect-error no such field
    begin().set({ replica: 1 });
    // @ts-expect-error a number
    begin().set({ replicas: "1" });
    // @ts-expect-error no such field
    begin().unset("replica");
    expect(begin().set({ replicas: 1 })).toBeDefined();
  });

  it("rule 61: a draft has no way to say anything about spec or metadata", () => {
    // @ts-expect-error spec is not part of a status
    begin().set({ spec: {} });
    expect("patch" in begin()).toBe(false);
  });
});
