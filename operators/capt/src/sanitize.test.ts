import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitize } from "./sanitize.ts";

describe("a text from Terraform or its provider", () => {
  test("loses everything from the packed error output on", () => {
    const told = `apply failed: Terraform encountered an error. Summary: bad argument. To see the full error run: echo "H4sIAAAA/zyPMW" | base64 -d | gunzip`;
    expect(sanitize(told)).toBe("apply failed: Terraform encountered an error. Summary: bad argument.");
    expect(sanitize("TO SEE THE FULL ERROR RUN: echo x")).toBe("");
    expect(sanitize(new Error(told))).toBe(sanitize(told));
  });

  test("loses ids and times, so that the same trouble has the same text on each try", () => {
    const told = (id: string, at: string) =>
      `creating VPC: UnauthorizedOperation, status code: 403, request id: ${id}, at ${at}, RequestID: ${id}`;
    expect(sanitize(told("0a1b2c3d-0000-1111-2222-333344445555", "2026-01-19T22:00:00Z"))).toBe(
      "creating VPC: UnauthorizedOperation, status code: 403, request id: <id>, at <time>, RequestID: <id>",
    );
    expect(sanitize(told("ABCDEF0123456789", "2026-01-19T22:00:01.123+02:00"))).toBe(
      sanitize(told("0a1b2c3d-0000-1111-2222-333344445555", "2026-01-19 22:00:00")),
    );
    expect(sanitize("dial 10.0.0.1:51234->10.0.0.2:443: timeout 0xc000123abc")).toBe(
      "dial 10.0.0.1:<port>->10.0.0.2:443: timeout <address>",
    );
  });

  test("loses long runs of base64 and what has the shape of an access key", () => {
    expect(sanitize(`state ${"a".repeat(40)} end`)).toBe("state <redacted> end");
    expect(sanitize(`state ${"Ab+/".repeat(20)}== end`)).toBe("state <redacted> end");
    expect(sanitize(`kept ${"a".repeat(39)} end`)).toBe(`kept ${"a".repeat(39)} end`);
    expect(sanitize("with AKIAIOSFODNN7EXAMPLE denied")).toBe("with <redacted> denied");
  });

  test.each(["password", "secret", "token", "key"])("loses the value after %s", (word) => {
    expect(sanitize(`failed: ${word}=hunter2 here`)).toBe(`failed: ${word}=<redacted> here`);
    expect(sanitize(`failed: ${word}: hunter2`)).toBe(`failed: ${word}: <redacted>`);
    expect(sanitize(`failed: db_${word} = "hun ter2"`)).not.toMatch(/hun|ter2/);
  });

  test("loses the escapes of a terminal and has single spaces", () => {
    expect(sanitize("\u001b[31m│\u001b[0m \u001b[1mError: \u001b[0mbad\n\n  on main.tf\tline 3")).toBe(
      "│ Error: bad on main.tf line 3",
    );
    expect(sanitize("to\u001b[0mken=hunter2")).not.toContain("hunter2");
  });

  test("is cut at 1024 characters, and never in the middle of something secret", () => {
    expect(sanitize("x ".repeat(3000))).toHaveLength(1024);
    expect(sanitize("x ".repeat(3000)).endsWith("…")).toBe(true);
    const run = "Zq9".repeat(30);
    for (let before = 940; before < 1030; before += 1)
      expect(sanitize(`${"x".repeat(20)} ${". ".repeat(before / 2)} ${run} end`)).not.toContain("Zq9");
  });

  test("keeps the names of resources, objects and places", () => {
    for (const kept of [
      "deleting EC2 VPC (vpc-0123456789abcdef0): DependencyViolation: it has dependencies and cannot be deleted",
      "Unsupported argument on main.tf line 10, in resource aws_vpc.this",
      "secrets demo-eks-connection is forbidden",
      "exit status 1",
    ]) {
      expect(sanitize(kept)).toBe(kept);
    }
  });

  test("stays as it is when it is cleaned again", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3000 }), (told) => {
        expect(sanitize(sanitize(told))).toBe(sanitize(told));
      }),
      { seed: 1 },
    );
  });

  test.each([undefined, null, 3, {}, [], Symbol("a"), Object.create(null)])("may be %o", (told) => {
    expect(typeof sanitize(told)).toBe("string");
  });
});
