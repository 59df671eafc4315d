// What checksums prove of a disk that was converted on the way. Pure.
import { sha256In, stagedObject } from "./staging.ts";
import type { World } from "./world.ts";

/** A disk that was converted has another checksum than the one that was exported: each was verified for itself. */
export function isConvertedAndVerified({ held, migration, staged, from }: World): boolean {
  const { isConverted } = stagedObject(migration, staged, held, from.channel.provider?.spec.type);
  const { sourceChecksum, checksum, targetChecksum } = held.diskInfo ?? {};
  const isHeld = migration.spec.options?.verifyChecksums !== false && sha256In(sourceChecksum) !== undefined;
  return isConverted && isHeld && checksum !== undefined && checksum === targetChecksum;
}
