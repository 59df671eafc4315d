import { ApiError } from "@telltale/client";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal.ts";

const refused = (message: string, causes: readonly object[] = [], code = 422) =>
  refusalOf(new ApiError("PATCH /x", { code, message, details: { causes } }));

describe("13.3 a server that refuses an object", () => {
  it("is quoted with the fields and what is wrong with them, and without their values", () => {
    const message = 'spec.source: Unsupported value: "hush": supported values: "a", spec.name: Required value';
    const causes = [
      { field: "spec.source", reason: "FieldValueNotSupported", message: 'Unsupported value: "hush"' },
      { field: "spec.name", reason: "FieldValueRequired", message: "Required value" },
      { field: "spec.name", reason: "FieldValueRequired", message: "Required value" },
      { field: "spec.odd", reason: "SomethingNew", message: "hush" },
    ];
    expect(refused(message, causes)).toBe(
      "spec.name is missing, spec.odd is not accepted, spec.source has a value that is not supported",
    );
  });

  it("is quoted with a field that it does not know", () => {
    const message = "failed to create typed patch object (/w; t/v1, Kind=W): .spec.a.b: field not declared in schema";
    expect(refused(message, [], 500)).toBe(".spec.a.b: field not declared in schema");
  });

  it("is not quoted where it names no field", () => {
    expect(refused("cannot read hush", [], 400)).toBe("HTTP 400");
  });
});
