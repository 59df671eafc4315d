import type { PersistentVolumeClaim, StorageClass } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { pod } from "../../test/pod-parts.ts";
import { unclaimed } from "./claims.ts";

const it = pod({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
const asked = (claim: PersistentVolumeClaim | undefined, of = it, storageClass: StorageClass | undefined = undefined) =>
  unclaimed(of, { claim: () => claim, storageClass: () => storageClass });
const bound = { spec: { volumeName: "pv" }, status: { phase: "Bound" } };
const late = { provisioner: "x", volumeBindingMode: "WaitForFirstConsumer" };

test("a claim has to be there, to stay, and to be bound", () => {
  expect(asked(undefined)).toBe('persistentvolumeclaim "data" not found');
  expect(asked({ ...bound, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })).toBe(
    'persistentvolumeclaim "data" is being deleted',
  );
  expect(asked({ status: { phase: "Pending" } })).toBe("pod has unbound immediate PersistentVolumeClaims");
  expect(asked({ status: { phase: "Lost" } })).toMatch(/bound to non-existent persistentvolume/);
  expect(asked(bound)).toBeUndefined();
});

test("one that waits for its first pod does not hold that pod up", () => {
  expect(asked({ spec: { storageClassName: "late" } }, it, late)).toBeUndefined();
});

test("a volume that is made for the pod has a claim of its own name", () => {
  const names: string[] = [];
  const own = pod(
    {
      volumes: [
        { name: "scratch", ephemeral: {} },
        { name: "tmp", emptyDir: {} },
      ],
    },
    { name: "web" },
  );
  const claim = (name: string) => {
    names.push(name);
    return bound;
  };
  expect(unclaimed(own, { claim, storageClass: () => undefined })).toBeUndefined();
  expect(names).toEqual(["web-scratch"]);
});
