import { isDnsLabel } from "@telltale/kinds";
import { arbitraryOf } from "@telltale/kinds/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { demo } from "../../test/demo.ts";
import { standardConfig } from "../config.ts";
import { LocustTest } from "../kinds/locust-test.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { buildJob, buildService, notesOn, reservedLabels, specHash } from "./index.ts";
import { ownLabels } from "./labels.ts";

const roles = ["master", "worker"] as const;
const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,30}[a-z0-9])?(\.[a-z0-9]{1,20})?$/);

/** Volumes and mounts as the rules of section 8.1 let them through: names unique and not reserved, paths unique. */
const volumes = fc.uniqueArray(fc.stringMatching(/^v[a-z0-9]{1,10}$/), { minLength: 1, maxLength: 5 }).chain((names) =>
  fc.record({
    volumes: fc.constant(names.map((it) => ({ name: it, emptyDir: {} }))),
    volumeMounts: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...names),
        mountPath: fc.stringMatching(/^\/own\/[a-z]{1,6}$/),
        target: fc.constantFrom("master" as const, "worker" as const, "both" as const),
      }),
      { selector: ({ mountPath }) => mountPath, maxLength: 6 },
    ),
  }),
);
const secretMounts = fc.uniqueArray(
  fc.record({ name: fc.stringMatching(/^a([-.]?[ab]){0,3}$/), mountPath: fc.stringMatching(/^\/secret\/[a-z]{1,6}$/) }),
  { selector: ({ mountPath }) => mountPath, maxLength: 8 },
);

test("no volume and no mount path is there twice, and every mount has its volume", () => {
  const testFiles = fc.record({ configMapRef: fc.constant("files"), libConfigMapRef: fc.constantFrom("", "lib") });
  fc.assert(
    fc.property(volumes, secretMounts, testFiles, name, (own, mounts, files, test) => {
      const it = demo({ ...own, env: { secretMounts: mounts }, testFiles: files }, test);
      for (const role of roles) {
        const pod = buildJob(it, role, standardConfig).spec?.template.spec;
        const names = (pod?.volumes ?? []).map((volume) => volume.name);
        const mounted = pod?.containers[0]?.volumeMounts ?? [];
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((volume) => !isDnsLabel(volume))).toEqual([]);
        expect(new Set(mounted.map(({ mountPath }) => mountPath)).size).toBe(mounted.length);
        expect(new Set(mounted.map((mount) => mount.name))).toEqual(new Set(names));
      }
    }),
    { seed: 1 },
  );
});

test("no user's label replaces one of the four", () => {
  const key = fc.oneof(fc.constantFrom(...reservedLabels), fc.string());
  fc.assert(
    fc.property(fc.dictionary(key, fc.string()), name, fc.constantFrom(...roles), (labels, test, role) => {
      const it = demo({}, test);
      const spec = { ...it.spec, [role]: { ...it.spec[role], labels } };
      const found = buildJob({ ...it, spec }, role, standardConfig).spec?.template.metadata?.labels ?? {};
      expect(found).toMatchObject(ownLabels(test, role));
      for (const [own, value] of Object.entries(labels)) {
        if (!reservedLabels.includes(own)) expect(found[own]).toBe(value);
      }
    }),
    { seed: 1 },
  );
});

test("any spec that the schema takes is built, twice the same, and nothing in it is changed", () => {
  const specs = arbitraryOf<fc.Arbitrary<unknown>>(fc, LocustTest.schema.spec) as fc.Arbitrary<LocustTestSpec>;
  fc.assert(
    fc.property(specs, (spec) => {
      const it = { ...demo(), spec };
      const before = JSON.stringify(it);
      const all = () => [
        ...roles.map((role) => buildJob(it, role, standardConfig)),
        buildService(it, standardConfig),
        ...notesOn(spec, standardConfig),
      ];
      expect(JSON.stringify(all())).toBe(JSON.stringify(all()));
      expect(JSON.stringify(it)).toBe(before);
    }),
    { seed: 1 },
  );
});

test("the hash of a spec does not depend on the order of its keys, and changes with every change", () => {
  const { image, master, worker, ...rest } = demo().spec;
  expect(specHash({ worker, ...rest, image, master })).toBe(specHash(demo().spec));
  expect(specHash({ ...demo().spec, image: "other" })).not.toBe(specHash(demo().spec));
  expect(specHash({})).toMatch(/^[0-9a-f]{16}$/);
});
