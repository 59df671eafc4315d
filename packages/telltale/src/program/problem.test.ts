import { ApiError, ConfigError, ConnectionError, TimeoutError } from "@telltale/client";
import { expect, test } from "vitest";
import { exit, Problem, problemOf } from "./problem.ts";

const said = (error: unknown) => {
  const { message, fix } = problemOf(error, "https://there:6443");
  return `${message}; ${fix}`;
};

test("every problem is one line, says what to do, and has no trace", () => {
  const errors = [
    new ConfigError("/k", "file", "it cannot be read: odd\nmore", "correct the YAML"),
    new ConnectionError("connect", "ECONNREFUSED"),
    new ConnectionError("tls", "unknown authority"),
    new ConnectionError("credentials", "the plugin failed"),
    new TimeoutError("GET /api", 15_000),
    new ApiError("GET /a", { code: 403, message: 'pods is forbidden: User "a" cannot list' }),
    new ApiError("GET /a", { code: 401, message: "Unauthorized" }),
    new ApiError("GET /a", { code: 500, message: "sorry" }),
    new Error("first\n    at somewhere (file.ts:1:1)"),
    "a text",
  ];
  for (const error of errors) {
    const text = said(error);
    expect(text).not.toContain("\n");
    expect(text).not.toMatch(/ at .*:\d+:\d+/);
    expect(text).toMatch(/.+; .+/);
  }
});

test("a kubeconfig's own way out is kept", () => {
  expect(said(new ConfigError("/k", "users", "it is no list", "make it a list"))).toBe(
    "/k: users: it is no list; make it a list",
  );
});

test("who has no kubeconfig at all hears how to get a cluster", () => {
  expect(said(new ConfigError("kubeconfig", "current-context", "it is not set", "set it"))).toContain("telltale up");
});

test("a cluster that does not answer is named", () => {
  expect(said(new ConnectionError("connect", "ECONNREFUSED"))).toMatch(/^https:\/\/there:6443 does not answer/);
});

test("a problem stays what it is", () => {
  const problem = new Problem("a", "b", exit.usage);
  expect(problemOf(problem)).toBe(problem);
});
