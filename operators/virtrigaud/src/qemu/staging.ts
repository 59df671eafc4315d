// Where disks travel through: files on a claim that is mounted here, named by `pvc://CLAIM/PATH`.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Box } from "./box.ts";
import { allowedFile, allowedTarget } from "./paths.ts";
import type { Doing } from "./work.ts";

/** The path that a URL names, under the folder of claims. Pure. */
export const stagedPath = (storageDir: string, url: string): string => placeOf(storageDir, url).path;

/** `mount`: where the claim is, which is all of it that may be reached. It may be a link itself. */
function placeOf(storageDir: string, url: string): { readonly mount: string; readonly path: string } {
  const [, claim = "", path = ""] = /^pvc:\/\/([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)\/(.+)$/.exec(url) ?? [];
  const parts = path.split("/");
  const isPlain = parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part));
  if (claim === "" || !isPlain || url.length > 2048)
    throw new RpcError("INVALID_ARGUMENT", "the URL must be pvc://CLAIM/PATH, with a plain path");
  const mount = join(storageDir, claim);
  return { mount, path: join(mount, ...parts) };
}

/** Only what is mounted here, and only through this process. */
export function checkTransfer({ backendType, transferMode }: { backendType: string; transferMode: string }): void {
  if (backendType !== "" && backendType !== "pvc")
    throw new RpcError("UNIMPLEMENTED", "this provider moves disks through claims (pvc) only");
  if (!["", "auto", "relay"].includes(transferMode))
    throw new RpcError("UNIMPLEMENTED", "this provider has the transfer mode relay only");
}

/** A staged file that is there. */
export async function stagedFile({ storageDir }: Place, url: string): Promise<string> {
  const { mount, path } = placeOf(storageDir, url);
  return allowedFile(path, [mount]);
}

type Place = Pick<Box["settings"], "storageDir">;

/** Where a staged file goes: its folder is made, inside the claim, which must be mounted. */
export async function stagedTarget(box: Box, url: string): Promise<string> {
  const { mount, path } = placeOf(box.settings.storageDir, url);
  const isMounted = await realpath(mount).then(
    () => true,
    () => false,
  );
  if (!isMounted) throw new RpcError("UNAVAILABLE", `the claim ${basename(mount)} is not mounted here, now`);
  await box.host.folder(dirname(path), 0o770);
  return allowedTarget(path, [mount]);
}

/** Copies a file with its SHA-256: beside its place, synced. Nothing is left of a copy that fails. */
export async function copyFile(
  box: Box,
  task: Doing,
  from: string,
  to: string,
  mode: number,
): Promise<{ checksum: string; size: number }> {
  const hash = createHash("sha256");
  const total = task.record.bytesTotal;
  let size = 0;
  try {
    const file = await open(to, "w", mode);
    try {
      await file.chmod(mode);
      for await (const piece of createReadStream(from, { highWaterMark: 2 ** 20 })) {
        const bytes: Buffer = piece;
        task.signal.throwIfAborted();
        size += bytes.length;
        if (size > box.settings.maxImageSize)
          throw new RpcError("INVALID_ARGUMENT", "the disk has more bytes than are allowed");
        hash.update(bytes);
        await file.write(bytes);
        task.progress({ bytesDone: size, percent: total > 0 ? Math.min(99, Math.floor((100 * size) / total)) : -1 });
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await box.host.remove(to);
    throw error;
  }
  return { checksum: hash.digest("hex"), size };
}

export async function cleanupStaged(box: Box, request: Requested<"cleanupStaged">): Promise<Reply<"cleanupStaged">> {
  checkTransfer({ backendType: request.backendType, transferMode: "" });
  const { mount, path } = placeOf(box.settings.storageDir, request.url);
  for (const one of [path, `${path}.part`]) {
    const real = await allowedFile(one, [mount]).catch(() => undefined);
    if (real !== undefined) await box.host.remove(real);
  }
  return {};
}
