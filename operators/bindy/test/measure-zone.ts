// Publishes a large zone for the first time on a real BIND, and prints how many requests and how long it took:
// `node measure-zone.ts <RRsets>`. The bench runs it.
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { findBind } from "../../../tools/bind/bind.ts";
import { bindcarClient } from "../src/bindcar/client.ts";
import { httpWire } from "../src/bindcar/http-wire.ts";
import { fixedToken } from "../src/bindcar/token.ts";
import { DNSZone, specOf } from "../src/kinds/index.ts";
import { compile } from "../src/zone/compile.ts";
import { Memory } from "../src/zone/memory.ts";
import { publish } from "../src/zone/primaries.ts";
import { serverOf, startPod, updatesOf } from "./real-named.ts";
import { dnsZone, record } from "./zone-objects.ts";

const count = Number(process.argv[2] ?? "2000");
const pod = await startPod({ path: findBind() ?? "" });
try {
  let requests = 0;
  const onAttempt = () => {
    requests += 1;
  };
  const bindcar = bindcarClient({ wire: httpWire({ clock }), token: fixedToken(pod.token), clock, random, onAttempt });
  const spec = specOf(DNSZone, dnsZone());
  const records = Array.from({ length: count }, (_, i) =>
    record("A", { name: `host-${i}`, ipv4Addresses: [`10.0.${i >> 8}.${i & 255}`] }),
  );
  const content = compile({ zone: { namespace: "dns", name: "example-com" }, spec, addresses: [], records });
  if (content.is === "refused") throw new Error(content.why);
  const transfers = { alsoNotify: [], allowTransfer: [] };
  const task = {
    zone: { uid: "zone" },
    content,
    least: 1,
    stored: undefined,
    transfers,
    before: [],
    servers: [serverOf(pod)],
    followers: [],
  };
  const began = clock.uptime();
  const around = {
    bindcar,
    updates: updatesOf(pod),
    memory: new Memory(),
    now: clock.now(),
    signal: new AbortController().signal,
    report: () => {},
  };
  const { results } = await publish(task, around);
  const took = clock.uptime() - began;
  const { is } = results.get("pod-0") ?? {};
  const last = await pod.dig(`host-${count - 1}.example.com`, "A", "+short");
  if (is !== "served" || last === "") throw new Error(`the zone is not served: ${is}`);
  console.log(JSON.stringify({ requests, took }));
} finally {
  await pod.stop();
}
