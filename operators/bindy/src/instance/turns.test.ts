import { formatTime, type Instant, plus } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import type { Bind9Instance } from "../kinds/index.ts";
import { type Sibling, Turns, turnLimit } from "./turns.ts";

const server = { metadata: { uid: "u", name: "dns-primary-0" }, spec: { role: "primary" } } as Bind9Instance;
const now = 1_767_225_600_000 as Instant;

test("8.4 whoever wants to roll waits until all who want to have said so", () => {
  const turns = new Turns();
  const at = (ms: number) => turns.ask("dns/dns", server, [], plus(now, ms));
  expect([at(0), at(1_999), at(2_000)].map(({ kind }) => kind)).toEqual(["wait", "wait", "go"]);
});

test("8.4 nobody waits for a time that a wrong clock has told", () => {
  const turns = new Turns();
  const at = (ms: number) => turns.ask("dns/dns", server, [], plus(now, ms));
  expect(at(3_600_000).kind).toBe("wait");
  expect([at(0), at(2_000)].map(({ kind }) => kind)).toEqual(["wait", "go"]);
});

/** Its Deployment has come to what it is asked for. */
function sibling(
  status: "True" | "False" | "Unknown" | undefined,
  reason = "NotReady",
  unavailableReplicas = 0,
): Sibling {
  const lastTransitionTime = formatTime(now);
  const conditions = status === undefined ? [] : [{ type: "Ready", status, reason, message: "", lastTransitionTime }];
  const instance = {
    metadata: { uid: "v", name: "dns-secondary-0" },
    spec: { role: "secondary" },
    status: { conditions },
  };
  const deployment = { spec: { replicas: 1 }, status: { replicas: 1, updatedReplicas: 1, unavailableReplicas } };
  return { instance: instance as unknown as Bind9Instance, deployment: deployment as Deployment };
}

const after = (ms: number, beside: Sibling) => {
  const turns = new Turns();
  turns.ask("dns/dns", server, [beside], plus(now, ms - 2_000));
  return turns.ask("dns/dns", server, [beside], plus(now, ms));
};

test("a rollout waits while another server is not known to be ready, and says for which", () => {
  const waits = { kind: "waitsFor", instance: "dns-secondary-0", isNews: true };
  expect(after(10 * turnLimit, sibling("Unknown", "NotProbed"))).toEqual(waits);
  expect(after(10 * turnLimit, sibling(undefined))).toEqual(waits);
  expect(after(turnLimit - 1_000, sibling("False"))).toEqual(waits);
  expect(after(turnLimit, sibling("False")).kind).toBe("go");
  expect(after(0, sibling("True", "AllReady")).kind).toBe("go");
});

test("a server that has just been replaced is waited for, though its status still says Ready", () => {
  expect(after(0, sibling("True", "AllReady", 1)).kind).toBe("waitsFor");
});

test("what a rollout waits for is reported once", () => {
  const turns = new Turns();
  const ask = (ms: number) => turns.ask("dns/dns", server, [sibling("Unknown")], plus(now, ms));
  expect([ask(0), ask(2_000), ask(4_000)]).toMatchObject([{ kind: "wait" }, { isNews: true }, { isNews: false }]);
});
