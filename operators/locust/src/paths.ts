// Where something is mounted in a pod, and which places belong to the test files. Pure.
import { libraryPath, sourcePath } from "./build/index.ts";
import type { LocustTestSpec } from "./kinds/spec.ts";

/** One way to write a path: no repeated slashes, no `.`, none at the end. `..` stays: such paths are refused. */
export function normalizePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `/${parts.join("/")}`;
}

/** Whether two mounts would hide one another: the same place, or one within the other. */
export function pathConflicts(one: string, other: string): boolean {
  const [a, b] = [normalizePath(one), normalizePath(other)];
  return a === b || isWithin(a, b) || isWithin(b, a);
}

const isWithin = (inner: string, outer: string): boolean => inner.startsWith(outer === "/" ? "/" : `${outer}/`);

/** Absolute, and nothing in it that a container runtime would read as something else. */
export function isMountPath(path: string): boolean {
  return path.startsWith("/") && !path.includes(":") && !path.split("/").includes("..");
}

export interface TestFileMount {
  readonly field: "srcMountPath" | "libMountPath";
  readonly path: string;
  /** Whether there is a ConfigMap to mount there. */
  readonly isMounted: boolean;
}

/** Where test files and libraries go. An empty path is no path. */
export function testFileMounts({ testFiles = {} }: LocustTestSpec): readonly TestFileMount[] {
  const { configMapRef, libConfigMapRef, srcMountPath, libMountPath } = testFiles;
  return [
    { field: "srcMountPath", path: srcMountPath || sourcePath, isMounted: !!configMapRef },
    { field: "libMountPath", path: libMountPath || libraryPath, isMounted: !!libConfigMapRef },
  ];
}

/** What nobody else may be mounted at: where test files are, or both places where a test brings none. */
export function reservedPaths(spec: LocustTestSpec): readonly string[] {
  const all = testFileMounts(spec);
  const mounted = all.filter(({ isMounted }) => isMounted);
  return (mounted.length === 0 ? all : mounted).map(({ path }) => path);
}
