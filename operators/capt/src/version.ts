// Versions of Kubernetes as people type them, as clouds take them and as Cluster API wants them (CP-12). Pure.
import { compareVersions } from "@telltale/kinds";

const pattern = /^v?(\d+)\.(\d+)(?:\.(\d+))?/;

/** `v1.31.0` of `1.31`. Undefined: it is no version. */
export function fullVersion(version: string): string | undefined {
  const [, major, minor, patch = "0"] = pattern.exec(version.trim()) ?? [];
  return major === undefined ? undefined : `v${major}.${minor}.${patch}`;
}

/** `1.31` of `v1.31.4`: a managed control plane takes no patch level. */
export function minorVersion(version: string): string | undefined {
  const [, major, minor] = pattern.exec(version.trim()) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}

/** Whether a version that is asked for is lower than the one that runs. Without a patch level, any will do. */
export function isLower(asked: string, running: string): boolean {
  const [, , , patch] = pattern.exec(asked.trim()) ?? [];
  const short = patch === undefined ? minorVersion : fullVersion;
  return compareVersions(short(asked) ?? "", short(running) ?? "") === -1;
}
