// Where things of a pod are on disk, and which names and paths may be part of that. Pure.
import { join } from "node:path";
import { misconfigured } from "./refusal.ts";

export interface PodFolder {
  readonly path: string;
  /** Address and ports, so that a new server gives the same. */
  readonly network: string;
  volume(name: string): string;
  container(name: string): ContainerFolder;
}

export interface ContainerFolder {
  readonly path: string;
  /** What `/` would be: mounts appear under it, and the working directory is in it. */
  readonly rootfs: string;
  readonly home: string;
  readonly logs: string;
  /** Copies of what is mounted by subPath from a volume that changes. */
  readonly copies: string;
  /** How it stands, and the process by pid and start time. */
  readonly record: string;
}

export function podFolder(root: string, uid: string): PodFolder {
  const path = join(root, "pods", checkedName("metadata.uid", uid));
  return {
    path,
    network: join(path, "network.json"),
    volume: (name) => join(path, "volumes", checkedName("the name of a volume", name)),
    container: (name) => containerFolder(join(path, "containers", checkedName("the name of a container", name))),
  };
}

function containerFolder(path: string): ContainerFolder {
  return {
    path,
    rootfs: join(path, "rootfs"),
    home: join(path, "home"),
    logs: join(path, "logs"),
    copies: join(path, "copies"),
    record: join(path, "record.json"),
  };
}

/** A name that becomes the name of a folder. */
export function checkedName(field: string, name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(name) && !name.includes("..")) return name;
  throw misconfigured(`${field} is ${JSON.stringify(name)}, which cannot be the name of a folder`);
}

/** A path below some folder, without what would lead out of it. */
export function checkedPath(field: string, path: string): string {
  const problem = path.startsWith("/")
    ? "must not be an absolute path"
    : path.split("/").includes("..")
      ? "must not contain '..'"
      : path.includes("\0")
        ? "has a NUL byte"
        : path.split("/").some((part) => Buffer.byteLength(part) > 255) || Buffer.byteLength(path) > 2048
          ? "is too long for a path"
          : undefined;
  if (problem === undefined) return path;
  throw misconfigured(`${field} is ${JSON.stringify(short(path))}, but ${problem}`);
}

/** An absolute path in a container: without the last slash, and without what would lead out of it. */
export function checkedAbsolute(field: string, path: string): string {
  const below = path.replace(/^\/+/, "");
  checkedPath(field, below);
  if (path === "") throw misconfigured(`${field} is empty; name an absolute path`);
  return `/${below
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
