// The stage itself: controllers run in virtual time, and what they ask of a provider reaches a simulated host.
import { plus } from "@telltale/kinds";
import { controller } from "@telltale/runtime";
import { expect, it } from "vitest";
import { Provider, VMClass } from "../src/kinds/index.ts";
import { deadlines } from "../src/link/deadlines.ts";
import { ProviderError } from "../src/link/provider-error.ts";
import { refuse, repeat } from "../src/simulated/faults.ts";
import { type Stage, stage, type Tools } from "./stage.ts";

/** Asks the provider `box` how many machines there are, every ten seconds, and says so. */
const counting = ({ links }: Tools) =>
  controller(VMClass)
    .reads(Provider)
    .events("none")
    .reconcile({
      async observe(object, look) {
        const namespace = object.metadata?.namespace ?? "";
        const provider = look.get(Provider, { namespace, name: "box" });
        if (provider === undefined) return "none";
        try {
          const { vms } = await links.of(provider).ask("listVMs", {}, { deadline: deadlines.listVMs });
          return String(vms.length);
        } catch (error) {
          return error instanceof ProviderError ? error.failure : "worse";
        }
      },
      status(world, draft, now) {
        draft
          .set({ supportedProviders: [world] })
          .condition("Ready", true, "Valid", "it is")
          .wake(plus(now, 10_000));
      },
    });

const said = async (it: Stage) => (await it.get(VMClass, "small"))?.status?.supportedProviders;

it("a controller's questions reach the host behind a Provider, and its faults come back", async () => {
  const it = await stage({ controllers: (tools) => [counting(tools)] });
  const host = await it.provider("box");
  await it.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  expect(await said(it)).toEqual(["0"]);
  host.script("listVMs", repeat(refuse("UNAVAILABLE")));
  await it.pass(10_000);
  expect(await said(it)).toEqual(["Unavailable"]);
  expect(host.asked("listVMs")).toHaveLength(2);
  expect(it.complaints).toEqual([]);
  await it.end();
});
