// The mounts of a container: pure where they are, and the links that show them under its root folder.
import { cp, lstat, mkdir, realpath, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Pod } from "@telltale/kinds/builtin";
import type { Env } from "./env.ts";
import { expand } from "./expand.ts";
import { checkedAbsolute, checkedPath, type PodFolder } from "./layout.ts";
import { misconfigured } from "./refusal.ts";
import { type Member, type VolumeMount, valueIn } from "./spec.ts";
import { isRewritten } from "./volumes.ts";

export interface Mount {
  /** In the container: absolute, without a last slash. */
  readonly path: string;
  readonly volume: string;
  /** Where a program really finds it. */
  readonly target: string;
  readonly part:
    | { readonly is: "whole" }
    | { readonly is: "link"; readonly subPath: string } // the target itself; made if it is not there
    | { readonly is: "copy"; readonly subPath: string }; // of the volume as it is when the container begins
}

/** Where each mount of a container is. Refuses what leads out of a volume or names none. */
export function mountsOf(pod: Pod, { container, field }: Member, folder: PodFolder, env: Env): readonly Mount[] {
  const volumes = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  return (container.volumeMounts ?? []).map((mount, at) => {
    const where = `${field}.volumeMounts[${at}]`;
    const volume = volumes.get(mount.name);
    if (volume === undefined) throw misconfigured(`${where}.name is "${mount.name}", but the pod has no such volume`);
    const path = checkedAbsolute(`${where}.mountPath`, mount.mountPath);
    if (path === "/") throw misconfigured(`${where}.mountPath is "/", but nothing can be mounted over everything`);
    const whole = folder.volume(mount.name);
    const subPath = subPathOf(mount, where, env);
    if (subPath === "") return { path, volume: mount.name, target: whole, part: { is: "whole" } };
    if (!isRewritten(volume))
      return { path, volume: mount.name, target: join(whole, subPath), part: { is: "link", subPath } };
    const target = join(folder.container(container.name).copies, String(at));
    return { path, volume: mount.name, target, part: { is: "copy", subPath } };
  });
}

function subPathOf({ subPath = "", subPathExpr = "" }: VolumeMount, where: string, env: Env): string {
  if (subPathExpr === "") return cleaned(checkedPath(`${where}.subPath`, subPath));
  const expanded = expand(subPathExpr, (name) => {
    const value = valueIn(env, name);
    if (value === undefined || value === "")
      throw misconfigured(`${where}.subPathExpr is "${subPathExpr}", but variable ${name} is not set`);
    return value;
  });
  return cleaned(checkedPath(`${where}.subPathExpr`, expanded));
}

function cleaned(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Makes copies and links of the mounts, as they are when the container begins. */
export async function placeMounts(mounts: readonly Mount[], container: string, folder: PodFolder): Promise<void> {
  const { rootfs, copies } = folder.container(container);
  await rm(copies, { recursive: true, force: true });
  for (const mount of mounts) {
    await placePart(mount, container, folder);
    const shown = join(rootfs, mount.path);
    await mkdir(dirname(shown), { recursive: true });
    const there = await lstat(shown).catch(() => undefined);
    if (there?.isSymbolicLink()) await rm(shown);
    // A folder that a program made there stays: it is nobody's business to delete it.
    if (there === undefined || there.isSymbolicLink()) await symlink(mount.target, shown);
  }
}

async function placePart({ part, target, volume }: Mount, container: string, folder: PodFolder): Promise<void> {
  if (part.is === "whole") return;
  const whole = folder.volume(volume);
  const source = join(whole, part.subPath);
  if (part.is === "copy") {
    const real = await realpath(source).catch(() => undefined);
    if (real === undefined) throw unmade(volume, container);
    await mkdir(dirname(target), { recursive: true });
    await cp(real, target, { recursive: true, dereference: true });
    return;
  }
  if ((await stat(source).catch(() => undefined)) === undefined)
    await mkdir(source, { recursive: true }).catch(() => {
      throw unmade(volume, container);
    });
  const [real, base] = await Promise.all([realpath(source), realpath(whole)]);
  if (real !== base && !real.startsWith(`${base}/`))
    throw misconfigured(`subPath "${part.subPath}" of volume "${volume}" is a link that leads out of the volume`);
}

function unmade(volume: string, container: string): Error {
  return misconfigured(`failed to create subPath directory for volumeMount "${volume}" of container "${container}"`);
}
