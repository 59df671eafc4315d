// Whatever is stored of a snapshot or a clone, a pass over it says something sound, and it comes to an end (L-34).
import { afterAll, beforeAll, expect, it } from "vitest";
import { VMClass, VMClone, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { vmClones } from "../src/vm-clone/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { type Home, home } from "./home.ts";
import { type Stage, stage } from "./stage.ts";

let s: Stage;
let h: Home;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => {
      const ways = { links, tls: new KnownSecrets(), places: new Reservations() };
      return [vmSnapshots({ ...ways, workers: 5 }), vmClones({ ...ways, crossing: { isFree: false }, workers: 3 })];
    },
    idle: true,
  });
  h = await home(s);
  const host = await h.provider("box");
  await h.apply(VMClass, "small", { cpu: 1, memory: "512Mi" });
  await h.machine(host, "web");
});
afterAll(() => s.end());

const pieces = [
  {},
  { snapshotID: "gone" },
  { targetVMID: "gone" },
  { taskRef: "gone" },
  { taskRef: "t", snapshotID: "x", targetVMID: "x" },
];
const record = { "virtrigaud.io/pending-op": '{"op":"SnapshotCreate","id":"1"}' };
const other = { "virtrigaud.io/pending-op": "no JSON" };

it("whatever is stored", async () => {
  for (const [i, phase] of (["Pending", "Creating", "Ready", "Expired", "Failed"] as const).entries()) {
    for (const [j, { targetVMID: _clone, ...status }] of pieces.entries()) {
      const name = `s-${i}-${j}`;
      await s.client.create(VMSnapshot, {
        apiVersion: VMSnapshot.apiVersion,
        kind: VMSnapshot.kind,
        metadata: { name, namespace: h.namespace, annotations: j % 2 === 0 ? record : other },
        spec: { vmRef: { name: "web" }, retentionPolicy: { maxAge: "100000h", gracePeriod: "1h" } },
      });
      await h.status(VMSnapshot, name, { phase, ...status });
    }
  }
  for (const [i, phase] of (
    ["Pending", "Preparing", "Cloning", "Customizing", "Powering-On", "Failed"] as const
  ).entries()) {
    for (const [j, { snapshotID: _snapshot, ...status }] of pieces.entries()) {
      const name = `c-${i}-${j}`;
      await s.client.create(VMClone, {
        apiVersion: VMClone.apiVersion,
        kind: VMClone.kind,
        metadata: { name, namespace: h.namespace, annotations: other },
        spec: { source: { vmRef: { name: "web" } }, target: { name }, customization: { hostname: "x" } },
      });
      await h.status(VMClone, name, { phase, ...status });
    }
  }
  const operator = s.start();
  await s.pass(600_000);
  const snapshots = (await s.client.list(VMSnapshot, { namespace: h.namespace })).items;
  const clones = (await s.client.list(VMClone, { namespace: h.namespace })).items;
  expect(h.complaints()).toEqual([]);
  for (const { metadata, status } of [...snapshots, ...clones]) {
    const said = status?.conditions?.find(({ type }) => type === "Ready");
    expect(`${metadata.name} ${said?.reason ?? "says nothing"}`).not.toContain("says nothing");
  }
  await operator.stop();
}, 60_000);
