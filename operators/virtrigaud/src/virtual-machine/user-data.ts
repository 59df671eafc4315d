// The Secrets that a machine's user data and metadata are in.
import type { VirtualMachine } from "../kinds/index.ts";

export function secretsOf({ spec }: Pick<VirtualMachine, "spec">): readonly string[] {
  const { userData, metaData } = spec;
  const refs = [userData?.cloudInit?.secretRef, userData?.ignition?.secretRef, metaData?.cloudInit?.secretRef];
  return [...new Set(refs.flatMap((ref) => (ref === undefined ? [] : [ref.name])))];
}
