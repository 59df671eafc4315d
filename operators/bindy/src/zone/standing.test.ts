import { expect, test } from "vitest";
import { isNotTransferred, isUnanswered } from "./standing.ts";

const ref = { apiVersion: "v", kind: "Bind9Instance", name: "a", namespace: "dns" };
const message = "the zone has not been transferred";

test("a transfer that is late is known by its reason, and by its message only where an older status has no reason", () => {
  expect(isNotTransferred({ ...ref, status: "Failed", reason: "NotTransferred", message: "in other words" })).toBe(
    true,
  );
  expect(isNotTransferred({ ...ref, status: "Failed", reason: "Differs", message })).toBe(false);
  expect(isNotTransferred({ ...ref, status: "Failed", message })).toBe(true);
  expect(isNotTransferred({ ...ref, status: "Claimed", message })).toBe(false);
});

test("no answer, and an answer to a read that is no answer to the question, leave open what a server has", () => {
  const refused = { at: "answered", status: 403 } as const;
  expect(isUnanswered({ is: "trouble", trouble: refused, isUnread: true })).toBe(true);
  expect(isUnanswered({ is: "trouble", trouble: { at: "unreachable", why: "timeout" } })).toBe(true);
  expect(isUnanswered({ is: "trouble", trouble: { at: "aborted" } })).toBe(true);
  expect(isUnanswered({ is: "trouble", trouble: refused })).toBe(false);
  expect(isUnanswered({ is: "behind" })).toBe(false);
});
