import type { Transport } from "@telltale/client";
import type { Log } from "@telltale/runtime";
import { expect, test } from "vitest";
import { type Config, forServer, standardConfig } from "./config.ts";
import { locustOperator } from "./operator.ts";

const nowhere: Transport = {
  send: () => Promise.reject(new Error("nothing is sent here")),
  close: async () => {},
};

function warned(config: Config): readonly string[] {
  const lines: string[] = [];
  const none = () => {};
  const log: Log = { debug: none, info: none, warn: (line) => void lines.push(line), error: none, with: () => log };
  locustOperator({ config, transport: nowhere, log });
  return lines;
}

test("what the configuration may surprise with is logged at the start", () => {
  expect(warned(standardConfig)).toEqual([]);
  expect(warned({ ...standardConfig, jobTtl: 0 })).toEqual([
    'JOB_TTL_SECONDS_AFTER_FINISHED "0" is short: a Job may be gone before its result was seen; set it to 60 or more',
  ]);
  expect(warned(forServer(standardConfig, { major: "1", minor: "28+" }))).toEqual([
    "This server is older than Kubernetes 1.29: tests run without the metrics exporter",
  ]);
});
