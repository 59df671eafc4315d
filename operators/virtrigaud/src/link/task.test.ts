import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { service } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { ProviderError } from "./provider-error.ts";
import { lookAtTask, OpenTasks, pollAfter, taskOf } from "./task.ts";

const status = (more: object = {}) => create(service.method.taskStatus.output, more);

describe("what the answer about a task means", () => {
  it.each([
    ["nothing said", {}, { is: "running" }],
    ["done", { done: true }, { is: "done" }],
    ["failed", { done: true, error: "disk full" }, { is: "failed", said: "disk full" }],
    ["failed, and not done", { done: false, error: "disk full" }, { is: "failed", said: "disk full" }],
    ["forgotten", { done: true, error: "task not found" }, { is: "forgotten" }],
    ["not found, and not done", { done: false, error: "disk not found" }, { is: "failed", said: "disk not found" }],
    ["progress", { percent: 40, stage: "Converting" }, { is: "running", percent: 40, stage: "Converting" }],
    ["just begun", { percent: 0, stage: "Converting" }, { is: "running", percent: 0, stage: "Converting" }],
    ["nobody knows", { percent: -1, stage: "Converting" }, { is: "running", stage: "Converting" }],
    ["bytes", { bytesDone: 5n, bytesTotal: 9n }, { is: "running", percent: 55, bytesDone: 5, bytesTotal: 9 }],
    ["too many bytes", { bytesDone: 9n, bytesTotal: 5n }, { is: "running", percent: 100, bytesDone: 5, bytesTotal: 5 }],
    [
      "more bytes than JSON can count",
      { bytesDone: -1n, bytesTotal: 2n ** 62n },
      { is: "running", percent: 0, bytesDone: 0, bytesTotal: Number.MAX_SAFE_INTEGER },
    ],
    ["a result", { done: true, resultJson: '{"id":"vm-1"}' }, { is: "done", result: { id: "vm-1" } }],
    ["a result that is none", { done: true, resultJson: "{" }, { is: "done" }],
  ])("%s", (_name, answer, wanted) => {
    expect(taskOf(status(answer))).toEqual(wanted);
  });

  it("an error of the task is shown without secrets", () => {
    expect(JSON.stringify(taskOf(status({ error: "token=canary" })))).not.toContain("canary");
  });

  it("NOT_FOUND is forgotten; any other error is thrown, and the task is kept", async () => {
    const ask = (code: "NOT_FOUND" | "UNAVAILABLE") => async () => {
      throw ProviderError.of(new RpcError(code, "x"), "taskStatus");
    };
    expect(await lookAtTask(ask("NOT_FOUND"))).toEqual({ is: "forgotten" });
    await expect(lookAtTask(ask("UNAVAILABLE"))).rejects.toThrow(ProviderError);
  });
});

it("a local provider is looked at sooner at first", () => {
  expect([0, 1, 2, 3].map((polls) => pollAfter(10_000, polls, true))).toEqual([2_000, 4_000, 8_000, 10_000]);
  expect(pollAfter(10_000, 0, false)).toBe(10_000);
});

it("tasks that are open: each once, however often it is looked at", () => {
  const open = new OpenTasks();
  const begun = create(service.method.delete.output, { task: { id: "t1" } });
  expect(open.see("delete", { id: "vm" }, begun)).toBe(true);
  expect(open.see("taskStatus", { task: { id: "t1" } }, status())).toBe(false);
  expect(open.see("taskStatus", { task: { id: "t1" } }, status({ done: true }))).toBe(true);
  expect(open.see("taskStatus", { task: { id: "t1" } }, status({ done: true }))).toBe(false);
  expect(open.see("delete", { id: "vm" }, create(service.method.delete.output, {}))).toBe(false);
  expect(open.size).toBe(0);
});
