// Events on a real kube-apiserver, in both APIs: what it accepts, and what counting up looks like there.
import { type Client, createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock, systemRandom, VirtualClock } from "@telltale/clock";
import { ConfigMap, CoreEvent, Event, Namespace, Node } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../../tools/envtest/envtest.ts";
import { type Log, silentLog } from "../log.ts";
import type { Sample } from "../samples.ts";
import type { Said, Subject } from "./event-object.ts";
import { recorder } from "./events.ts";

const assets = assetsFor("events on a real API server");

describe.skipIf(assets === undefined)("on a real API server", () => {
  let plane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
    const connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    client = createClient({ transport: httpTransport(connection), clock: systemClock, random: systemRandom });
  });
  afterAll(async () => {
    await client?.close();
    await plane?.stop();
  });

  const said: Said = { type: "Warning", reason: "R".repeat(200), message: "é".repeat(2000), action: "A".repeat(200) };

  it.each(["events.k8s.io/v1", "v1"] as const)("%s takes an event at its limits, and counts it up", async (api) => {
    const namespace = api === "v1" ? "core" : "events";
    await client.create(Namespace, { metadata: { name: namespace } });
    const object = await client.create(ConfigMap, { metadata: { name: "web", namespace } });
    const subject: Subject = { kind: ConfigMap, object };
    const clock = new VirtualClock();
    const outcomes: string[] = [];
    const errors: unknown[] = [];
    const log: Log = { ...silentLog, warn: (_message, fields) => errors.push(fields?.["err"]) };
    const events = recorder({
      client,
      clock,
      random: systemRandom,
      sink: (sample: Sample) => outcomes.push(sample.is === "event" ? sample.outcome : sample.is),
      log,
      controller: "telltale.test/maps",
      instance: "i".repeat(300),
      api,
    });
    const tell = async (subject: Subject, what: Said) => {
      events.record(subject, what);
      await events.flush(60_000);
    };
    await tell(subject, said);
    await tell(subject, said);
    clock.advance(300_000);
    await tell(subject, said);
    await tell({ kind: Node, object: { metadata: { name: "system:odd", uid: "u" } } }, { ...said, type: "Normal" });
    expect([errors, outcomes]).toEqual([[], ["sent", "suppressed", "sent", "sent"]]);

    // The server keeps one object for both APIs.
    const [event] = (await client.list(Event, { namespace })).items;
    expect(event).toMatchObject({
      type: "Warning",
      reason: "R".repeat(128),
      note: `${"é".repeat(510)}…`,
      action: "A".repeat(128),
      reportingController: "telltale.test/maps",
      reportingInstance: "i".repeat(128),
      regarding: { apiVersion: "v1", kind: "ConfigMap", name: "web", namespace, uid: object.metadata?.uid },
    });
    const [core] = (await client.list(CoreEvent, { namespace, fieldSelector: "involvedObject.name=web" })).items;
    const first = "2026-01-01T00:00:00";
    const last = "2026-01-01T00:05:00";
    if (api === "v1") expect(core).toMatchObject({ count: 3, firstTimestamp: `${first}Z`, lastTimestamp: `${last}Z` });
    else {
      const series = { count: 3, lastObservedTime: `${last}.000000Z` };
      expect(core).toMatchObject({ eventTime: `${first}.000000Z`, series });
    }
    const inDefault = (await client.list(Event, { namespace: "default" })).items;
    expect(inDefault.filter(({ regarding }) => regarding?.name === "system:odd")).not.toEqual([]);
  });

  it("an event in a namespace that is going is refused as we take it for", async () => {
    const namespace = "going";
    await client.create(Namespace, { metadata: { name: namespace } });
    await client.delete(Namespace, { name: namespace }, { propagation: "Background" });
    const levels: string[] = [];
    const log: Log = { ...silentLog, warn: () => levels.push("warn"), debug: () => levels.push("debug") };
    const events = recorder({
      client,
      clock: new VirtualClock(),
      random: systemRandom,
      sink: () => {},
      log,
      controller: "maps",
      instance: "0",
    });
    events.record({ kind: ConfigMap, object: { metadata: { name: "web", namespace } } }, { ...said, message: "m" });
    await events.flush(60_000);
    expect(levels).toEqual(["debug"]);
  });
});
