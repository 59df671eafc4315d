// Volumes and where they are mounted: test files, libraries, Secrets, then the test's own.
import type { Role } from "../config.ts";
import type { LocustTestSpec } from "../kinds/spec.ts";
import { libraryVolume, nodeName, secretVolumes } from "./names.ts";
import type { Volume, VolumeMount } from "./types.ts";

export const sourcePath = "/lotest/src";
export const libraryPath = "/opt/locust/lib";

export interface Mounted {
  readonly volumes: readonly Volume[];
  readonly volumeMounts: readonly VolumeMount[];
}

export function buildVolumes(spec: LocustTestSpec, role: Role, test: string): Mounted {
  const parts = [testFiles(spec, nodeName(test, role)), secrets(spec), own(spec, role)];
  return {
    volumes: parts.flatMap(({ volumes }) => volumes),
    volumeMounts: parts.flatMap(({ volumeMounts }) => volumeMounts),
  };
}

function testFiles({ testFiles = {} }: LocustTestSpec, name: string): Mounted {
  const { configMapRef, libConfigMapRef, srcMountPath, libMountPath } = testFiles;
  // An empty path is no path.
  const files = [
    { volume: name, configMap: configMapRef, mountPath: srcMountPath || sourcePath },
    { volume: libraryVolume, configMap: libConfigMapRef, mountPath: libMountPath || libraryPath },
  ].filter(({ configMap }) => configMap);
  return {
    volumes: files.map(({ volume, configMap = "" }) => ({ name: volume, configMap: { name: configMap } })),
    volumeMounts: files.map(({ volume, mountPath }) => ({ name: volume, mountPath })),
  };
}

/** A Secret that is mounted twice is one volume and two mounts. */
function secrets({ env }: LocustTestSpec): Mounted {
  const mounts = env?.secretMounts ?? [];
  const names = secretVolumes(mounts.map(({ name }) => name));
  return {
    volumes: Array.from(names, ([secretName, name]) => ({ name, secret: { secretName } })),
    volumeMounts: mounts.map(({ name, mountPath, readOnly = true }) => ({
      name: names.get(name) ?? "",
      mountPath,
      ...(readOnly && { readOnly }),
    })),
  };
}

/** The mounts for this role, and the volumes that they need. `target` is ours and not Kubernetes'. */
function own({ volumes = [], volumeMounts = [] }: LocustTestSpec, role: Role): Mounted {
  const mounts = volumeMounts
    .filter(({ target = "both" }) => target === "both" || target === role)
    .map(({ target: _target, ...mount }) => mount);
  const needed = new Set(mounts.map(({ name }) => name));
  return { volumes: volumes.filter(({ name }) => needed.has(name)), volumeMounts: mounts };
}
