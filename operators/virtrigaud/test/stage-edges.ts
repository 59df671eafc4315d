// What the stage has at its edges: a server's refusal, and a log that keeps complaints.
import type { manager } from "@telltale/runtime";

export function refusal(code: number) {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", code, reason: "Refused", message: "no" };
  return {
    status: code,
    headers: { "content-type": "application/json" },
    text: async () => JSON.stringify(status),
    async *chunks() {
      yield JSON.stringify(status);
    },
  };
}

export function complaining(complaints: string[]): NonNullable<Parameters<typeof manager>[0]["log"]> {
  const quiet = () => {};
  const complain = (message: string, fields?: object) =>
    void complaints.push(
      `${message} ${JSON.stringify(fields, (_key, one) => (one instanceof Error ? one.message : one))}`,
    );
  const log = { debug: quiet, info: quiet, warn: complain, error: complain, with: () => log };
  return log;
}
