// Whatever is stored of a migration (L-34).
import { expect, it } from "vitest";
import { ground, migrate, migrations } from "../../test/migrations.ts";
import { VMMigration } from "../kinds/index.ts";
import { migrationPhases } from "../kinds/vm-migration-status.ts";
import { annotations } from "../names.ts";

it("whatever is stored of a migration, a pass over it says something sound, and it comes to an end", async () => {
  const { s } = await migrations({ idle: true });
  const { h } = await ground(s);
  const pieces = [
    {},
    { taskRef: "gone" },
    { exportID: "x", importID: "y", targetVMID: "z", snapshotID: "gone", completionTime: "2026-01-01T00:00:00Z" },
  ];
  const pending = ['{"op":"ExportDisk","id":"1"}', "no JSON", '{"op":"ImportDisk","id":"1","attempt":7}'];
  for (const [i, phase] of migrationPhases.entries()) {
    for (const [j, status] of pieces.entries()) {
      const marks = { [annotations.pendingOp]: pending[(i + j) % 3] ?? "" };
      const metadata = { annotations: { ...marks, [annotations.stagedObjects]: j === 1 ? "[1," : '[1,"s3://b/c"]' } };
      const name = `m-${i}-${j}`;
      await migrate(h, name, { target: { name: `t-${i}-${j}` }, metadata, options: { timeout: "10m" } });
      await h.status(VMMigration, name, { phase, ...status });
    }
  }
  const operator = s.start();
  await s.pass(40 * 60_000);
  const { items } = await s.client.list(VMMigration, { namespace: h.namespace });
  const ends = items.map(({ metadata, status: it }) => `${metadata.name} ${it?.phase} ${it?.storageInfo?.cleanedUp}`);
  expect(ends.filter((it) => !/ (Ready|Failed) true$/.test(it))).toEqual([]);
  expect(h.complaints()).toEqual([]);
  await operator.stop();
  await s.end();
}, 60_000);
