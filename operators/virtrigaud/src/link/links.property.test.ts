// Whatever is asked, in whatever order, and however the provider behaves: the limits hold, every call ends, and it recovers.
import { turn, VirtualClock } from "@telltale/clock";
import fc from "fast-check";
import { expect, it } from "vitest";
import { box } from "../../test/links.ts";
import type { Ask } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { Links } from "./links.ts";
import { ProviderError } from "./provider-error.ts";

const step = fc.oneof(
  fc.record({
    is: fc.constant("call" as const),
    method: fc.constantFrom("describe" as const, "listVMs" as const, "exportDisk" as const),
    takes: fc.integer({ min: 0, max: 20_000 }),
    ends: fc.constantFrom("OK" as const, "UNAVAILABLE" as const, "NOT_FOUND" as const),
    deadline: fc.integer({ min: 1, max: 60_000 }),
  }),
  fc.record({ is: fc.constant("pass" as const), by: fc.integer({ min: 0, max: 30_000 }) }),
);

it("limits hold, every call ends, and it recovers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new VirtualClock();
      const sent: number[] = [];
      const now = { all: 0, describe: 0, exportDisk: 0 };
      const most = { ...now };
      let next: { takes: number; ends: "OK" | "UNAVAILABLE" | "NOT_FOUND" }[] = [];
      const count = (method: string, by: number) => {
        now.all += by;
        if (method === "describe" || method === "exportDisk") now[method] += by;
        for (const key of ["all", "describe", "exportDisk"] as const) most[key] = Math.max(most[key], now[key]);
      };
      const ask: Ask = async (method) => {
        sent.push(clock.now());
        count(method, 1);
        const { takes, ends } = next.shift() ?? { takes: 0, ends: "OK" };
        await new Promise<void>((resolve) => (takes === 0 ? resolve() : clock.after(takes, resolve)));
        count(method, -1);
        if (ends !== "OK") throw new RpcError(ends, "by order");
        return {} as never; // nobody looks at it
      };
      const links = new Links({ dial: () => ({ ask, close() {} }), clock });
      const spec = { rateLimit: { qps: 5, burst: 8 }, connectionPooling: { maxConnections: 6 } };
      const link = links.of(box(spec));
      const ended: unknown[] = [];
      let asked = 0;
      for (const one of steps) {
        if (one.is === "pass") await clock.settle(one.by);
        else {
          asked += 1;
          next.push(one);
          const { deadline } = one;
          void link.ask(one.method, {}, { deadline }).then(
            () => ended.push("OK"),
            (error: unknown) => ended.push(error),
          );
          await turn();
        }
      }
      await clock.settle(600_000);
      expect(ended).toHaveLength(asked);
      for (const end of ended) expect(end === "OK" || end instanceof ProviderError).toBe(true);
      expect(most.all).toBeLessThanOrEqual(6);
      expect(most.describe).toBeLessThanOrEqual(4);
      expect(most.exportDisk).toBeLessThanOrEqual(3);
      for (const [i, at] of sent.entries()) {
        const within = sent.slice(i).filter((other) => other - at < 1_000).length;
        expect(within).toBeLessThanOrEqual(8 + 5);
      }
      next = [];
      for (let i = 0; i < 3; i += 1) await link.ask("listVMs", {}, { deadline: 1_000 });
      expect(now.all).toBe(0);
    }),
    { numRuns: 60 },
  );
});
