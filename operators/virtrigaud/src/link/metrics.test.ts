import { prometheus } from "@telltale/runtime/prometheus";
import { expect, it } from "vitest";
import { box, setting } from "../../test/links.ts";
import { refuse, repeat } from "../simulated/faults.ts";
import { callFamilies, tellCall } from "./metrics.ts";

it("calls, operations, tasks and the breaker are told under their names", async () => {
  const { host, links, samples, failure } = setting();
  const link = links.of(box());
  const imageJson = JSON.stringify({ TemplateName: "t" });
  const { id, task } = await link.ask("create", { name: "web", imageJson }, { deadline: 1_000 });
  await link.ask("taskStatus", task === undefined ? {} : { task }, { deadline: 1_000 });
  host.script("describe", repeat(refuse("UNAVAILABLE"), 10));
  for (let i = 0; i < 11; i += 1) await failure(link.ask("describe", { id }, { deadline: 1_000 }));
  const metrics = prometheus();
  const meter = metrics.meter(callFamilies);
  for (const sample of samples) tellCall(meter, sample);
  const lines = (await metrics.text()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'virtrigaud_provider_rpc_requests_total{provider_type="qemu",method="Create",code="OK"} 1',
      'virtrigaud_provider_rpc_requests_total{provider_type="qemu",method="Describe",code="UNAVAILABLE"} 10',
      'virtrigaud_provider_rpc_latency_seconds_count{provider_type="qemu",method="TaskStatus"} 1',
      'virtrigaud_vm_operations_total{operation="Create",provider_type="qemu",provider="demo/box",outcome="success"} 1',
      'virtrigaud_vm_operations_total{operation="Describe",provider_type="qemu",provider="demo/box",outcome="error"} 10',
      'virtrigaud_provider_tasks_inflight{provider_type="qemu",provider="demo/box"} 1',
      'virtrigaud_circuit_breaker_state{provider_type="qemu",provider="demo/box"} 2',
      'virtrigaud_circuit_breaker_failures_total{provider_type="qemu",provider="demo/box"} 10',
    ]),
  );
});
