// The conformance suite on the simulated Bindcar. The same cases run on a real BIND in `bindcar.real.test.ts`.
import { seededRandom, VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import { SimulatedBindcar } from "../src/bindcar-simulated/bindcar.ts";
import { type Body, cases, type Subject } from "./bindcar-conformance.ts";

describe("A-136 the simulated Bindcar", () => {
  const clock = new VirtualClock();
  const bindcar = new SimulatedBindcar({ clock, random: seededRandom(1), token: "t" });
  const subject: Subject = {
    nowhere: "127.0.0.1:9",
    async ask(method, path, body) {
      const headers = { authorization: "Bearer t", ...(body !== undefined && { "content-type": "application/json" }) };
      const asked = {
        method,
        path: `/api/v1${path}`,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const delivery = await bindcar.ask(asked);
      if (delivery.as !== "answer") throw new Error(delivery.as);
      return { status: delivery.reply.status, body: JSON.parse(delivery.reply.body) as Body };
    },
  };

  for (const [i, { name, run }] of cases.entries()) it(name, () => run(subject, `zone${i}.example`));

  it("needs no timer for any of it", () => {
    expect(bindcar.requests.length).toBeGreaterThan(100);
    expect(clock.next()).toBeUndefined();
  });
});
