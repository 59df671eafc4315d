import { ApiError, ConnectionError, TimeoutError } from "@telltale/client";
import { describe, expect, it } from "vitest";
import type { Log } from "../log.ts";
import { type Trouble, Troubles, troubleOf } from "./trouble.ts";

const place = { namespace: "ops", name: "operator", verbs: "get, create and patch" };
const api = (code: number, reason: string, details?: object) =>
  new ApiError("PATCH /x", { code, reason, message: "no", ...(details && { details }) });

const cases: [Trouble["kind"], unknown, RegExp][] = [
  ["forbidden", api(403, "Forbidden"), /get, create and patch leases of coordination.k8s.io in namespace ops/],
  ["unknown", api(401, "Unauthorized"), /credentials/],
  ["unknown", new ConnectionError("tls", "self-signed certificate"), /credentials/],
  ["missing", api(404, "NotFound"), /create namespace ops/],
  ["invalid", api(422, "Invalid", { name: "A", kind: "Lease" }), /name and times/],
  ["invalid", api(400, "BadRequest"), /name and times/],
  ["contended", api(409, "Conflict"), /kubectl get lease -n ops operator/],
  ["busy", api(429, "TooManyRequests"), /API server/],
  ["busy", api(503, "ServiceUnavailable"), /API server/],
  ["unreachable", new ConnectionError("connect", "refused"), /the way to it/],
  ["unreachable", new TimeoutError("GET /x", 5000), /the way to it/],
  ["failed", new RangeError("oops"), /report/],
  ["failed", "oops", /report/],
];

describe("trouble with a Lease", () => {
  it.each(cases)("%s: says what happened to what, and the way out", (kind, error, fix) => {
    const trouble = troubleOf(error, place);
    expect(trouble.kind).toBe(kind);
    expect(trouble.fix).toMatch(fix);
    expect(trouble.message).toContain(error instanceof Error ? error.message : "oops");
  });

  it("is told once per kind until it is over, and louder where somebody has to act", () => {
    const lines: string[] = [];
    const line = (level: string) => (text: string) => lines.push(`${level} ${text.split(":")[0]}`);
    const log: Log = { debug() {}, info: line("info"), warn: line("warn"), error: line("error"), with: () => log };
    const troubles = new Troubles(log, place);
    const down = new ConnectionError("connect", "refused");
    const all = [down, api(403, "Forbidden"), down];
    troubles.over();
    for (const error of all) troubles.tell(error);
    troubles.over();
    troubles.over();
    troubles.tell(down);
    expect(lines).toEqual([
      "warn Lease ops/operator is out of reach",
      "error may not use Lease ops/operator",
      "info the Lease is within reach again",
      "warn Lease ops/operator is out of reach",
    ]);
  });
});
