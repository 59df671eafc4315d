// V3-V8, V10, V11: volumes and mounts that would get in the way of the operator's own, or of each other.
import { libraryVolume, nodeName } from "../build/index.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { isMountPath, normalizePath, pathConflicts, reservedPaths, testFileMounts } from "../paths.ts";
import { type Problem, quoted, type Rule } from "./rule.ts";

export const secretsLeaveReserved: Rule = ({ spec }) => conflicts(spec, secretMounts(spec));
export const mountsLeaveReserved: Rule = ({ spec }) => conflicts(spec, ownMounts(spec));

const secretPrefix = "secret-";

export const volumeNamesLeavePrefix: Rule = (test) =>
  refused(test, (name) => name.startsWith(secretPrefix), `uses reserved prefix ${quoted(secretPrefix)}`);

export const volumeNamesLeaveLibrary: Rule = (test) =>
  refused(test, (name) => name === libraryVolume, "is reserved by the operator");

export const volumeNamesAreFree: Rule = (test) => {
  const { name: own = "" } = test.metadata;
  const generated = [nodeName(own, "master"), nodeName(own, "worker")];
  return refused(test, (name) => generated.includes(name), "conflicts with operator-generated name");
};

export const mountsHaveVolumes: Rule = ({ spec: { volumes = [], volumeMounts = [] } }) => {
  const defined = new Set(volumes.map(({ name }) => name));
  return volumeMounts.flatMap(({ name }, i) => {
    if (defined.has(name)) return [];
    return [{ field: `spec.volumeMounts[${i}].name`, message: `references undefined volume ${quoted(name)}` }];
  });
};

/** Names of volumes, and places in the same pod. */
export const nothingTwice: Rule = ({ spec }) => [...sameNames(spec), ...samePlaces(spec)];

function sameNames({ volumes = [] }: LocustTestSpec): Problem[] {
  const all = volumes.map(({ name }) => name);
  const first = new Map(all.map((name, i) => [name, i] as const).reverse());
  return all.flatMap((name, i) =>
    first.get(name) === i
      ? []
      : [{ field: `spec.volumes[${i}].name`, message: `duplicate volume name ${quoted(name)}` }],
  );
}

/** Told of the later of two mounts, once, even where they meet in both pods. */
function samePlaces(spec: LocustTestSpec): Problem[] {
  const taken = { master: new Map<string, string>(), worker: new Map<string, string>() };
  return allMounts(spec).flatMap(({ field, path, target }) => {
    const at = normalizePath(path);
    const pods = target === "both" ? [taken.master, taken.worker] : [taken[target]];
    const other = pods.map((places) => places.get(at)).find((it) => it !== undefined);
    for (const places of pods) if (!places.has(at)) places.set(at, field);
    return other === undefined ? [] : [{ field, message: `duplicate mount path: ${other} is the same` }];
  });
}

export const mountPathsAreAbsolute: Rule = ({ spec }) =>
  [...testFilePaths(spec), ...secretMounts(spec), ...ownMounts(spec)].flatMap(({ field, path }) =>
    isMountPath(path) ? [] : [{ field, message: 'must be an absolute path, without ":" and without ".." elements' }],
  );

interface Mount {
  readonly field: string;
  readonly path: string;
  readonly target: "master" | "worker" | "both";
}

function secretMounts({ env }: LocustTestSpec): readonly Mount[] {
  return (env?.secretMounts ?? []).map(({ mountPath }, i) => ({
    field: `spec.env.secretMounts[${i}].mountPath`,
    path: mountPath,
    target: "both",
  }));
}

function ownMounts({ volumeMounts = [] }: LocustTestSpec): readonly Mount[] {
  return volumeMounts.map(({ mountPath, target = "both" }, i) => ({
    field: `spec.volumeMounts[${i}].mountPath`,
    path: mountPath,
    target,
  }));
}

const testFilePaths = (spec: LocustTestSpec): readonly (Mount & { readonly isMounted: boolean })[] =>
  testFileMounts(spec).map(({ field, path, isMounted }) => ({
    field: `spec.testFiles.${field}`,
    path,
    target: "both",
    isMounted,
  }));

const allMounts = (spec: LocustTestSpec): readonly Mount[] => [
  ...testFilePaths(spec).filter(({ isMounted }) => isMounted),
  ...secretMounts(spec),
  ...ownMounts(spec),
];

function conflicts(spec: LocustTestSpec, mounts: readonly Mount[]): readonly Problem[] {
  const reserved = reservedPaths(spec);
  return mounts.flatMap(({ field, path }) =>
    reserved
      .filter((own) => pathConflicts(path, own))
      .map((own) => ({ field, message: `conflicts with reserved path ${quoted(own)}` })),
  );
}

function refused({ spec }: LocustTest, isRefused: (name: string) => boolean, why: string): readonly Problem[] {
  return (spec.volumes ?? []).flatMap(({ name }, i) =>
    isRefused(name) ? [{ field: `spec.volumes[${i}].name`, message: `${quoted(name)} ${why}` }] : [],
  );
}
