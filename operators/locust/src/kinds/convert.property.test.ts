import { applyDefaults, deepFreeze, structuralOf } from "@telltale/kinds";
import { arbitraryOf } from "@telltale/kinds/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carryingV1, metadata, runningStatus, v1Test, v2Test } from "../../test/objects.ts";
import { toV1, toV2 } from "./convert.ts";
import { LocustTest } from "./locust-test.ts";
import type { LocustTestSpec } from "./spec.ts";
import { LocustTestSpecV1 } from "./spec-v1.ts";

const defaulted = <T>(spec: T): T => applyDefaults(LocustTest.schema.spec, spec);

describe("for any spec", () => {
  const v2Specs = arbitraryOf(fc, LocustTest.schema.spec) as fc.Arbitrary<LocustTestSpec>;
  const v1Specs = arbitraryOf(fc, structuralOf("v1", LocustTestSpecV1)) as fc.Arbitrary<LocustTestSpecV1>;
  const runs = { numRuns: 300, seed: 1 };

  test("v2 -> v1 -> v2 gives back the object", () => {
    fc.assert(
      fc.property(v2Specs, (spec) => {
        const object = deepFreeze(v2Test(defaulted(spec), { status: runningStatus }));
        const through = structuredClone(toV1(object)); // as it is sent: nothing shared
        expect(toV2(through)).toEqual(object);
        expect(defaulted(toV2(toV1(v2Test(spec))).spec)).toEqual(defaulted(spec)); // and where no defaults were filled in
      }),
      runs,
    );
  });

  test("v1 -> v2 -> v1 changes nothing the second time", () => {
    fc.assert(
      fc.property(v1Specs, (spec) => {
        const hub = toV2(deepFreeze(v1Test(spec)));
        const once = toV1(v2Test(defaulted(hub.spec as LocustTestSpec)));
        expect(toV1(toV2(once))).toEqual(once);
        expect(defaulted(toV2(once).spec)).toEqual(defaulted(hub.spec));
      }),
      runs,
    );
  });

  test("a v1 edit of the number of workers changes that number alone", () => {
    fc.assert(
      fc.property(v2Specs, (spec) => {
        const object = v2Test(defaulted(spec));
        const view = toV1(object);
        const edited = toV2({ ...view, spec: { ...view.spec, workerReplicas: 499 } as LocustTestSpecV1 });
        expect(defaulted(edited.spec)).toEqual({
          ...object.spec,
          worker: { ...object.spec?.worker, replicas: 499 },
        });
      }),
      runs,
    );
  });

  test("fields that nobody knows survive the way through v1", () => {
    fc.assert(
      fc.property(v2Specs, fc.jsonValue({ maxDepth: 3 }), (spec, future) => {
        const object = v2Test({ ...spec, future } as LocustTestSpec);
        expect(toV2(toV1(object)).spec).toEqual(JSON.parse(JSON.stringify(object.spec)));
      }),
      runs,
    );
  });

  test("whatever a v1 object carries, it converts", () => {
    const names = Object.keys(LocustTest.schema.spec.properties ?? {});
    const nearly = fc
      .tuple(v2Specs, fc.constantFrom(...names), fc.jsonValue())
      .map(([spec, name, junk]) => JSON.stringify({ ...spec, [name]: junk }));
    fc.assert(
      fc.property(v1Specs, fc.oneof(fc.string(), fc.json(), nearly), (spec, data) => {
        for (const value of [data, `{"v":2,"spec":${data}}`]) {
          const made = toV2(carryingV1(value, spec));
          expect(made.metadata).toEqual(metadata);
          expect(toV2(toV1(made)).spec).toEqual(made.spec);
        }
      }),
      runs,
    );
  });
});
