// A Terraform state as far as a runner has to know it: its line of descent, its age in it, and whether anything is in it. Pure.

/** A state with what is needed to compare it with another. */
export interface Snapshot {
  /** The file, byte for byte. It holds secrets. */
  readonly text: string;
  readonly lineage: string;
  readonly serial: number;
  /** How many resources it knows. */
  readonly resources: number;
}

/** What a state file says of itself; undefined where it is none. */
export function snapshotOf(text: string): Snapshot | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined; // half a file: the next look finds it whole
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { lineage, serial, resources } = parsed as { lineage?: unknown; serial?: unknown; resources?: unknown };
  if (typeof lineage !== "string" || typeof serial !== "number") return undefined;
  return { text, lineage, serial, resources: Array.isArray(resources) ? resources.filter(isManaged).length : 0 };
}

/** What was only read is not there to be destroyed. */
const isManaged = (resource: unknown): boolean =>
  typeof resource === "object" && resource !== null && (resource as { mode?: unknown }).mode !== "data";

/** Which of two states is the one to go on from. */
export type Choice =
  | { readonly use: "none" }
  | { readonly use: "here" | "stored"; readonly state: Snapshot }
  | { readonly use: "conflict" };

/** Of one lineage the higher serial counts; between two lineages nobody can choose. */
export function chooseState(here: Snapshot | undefined, stored: Snapshot | undefined): Choice {
  if (here === undefined) return stored === undefined ? { use: "none" } : { use: "stored", state: stored };
  if (stored === undefined) return { use: "here", state: here };
  if (here.lineage !== stored.lineage) return { use: "conflict" };
  return stored.serial > here.serial ? { use: "stored", state: stored } : { use: "here", state: here };
}

/** Simulated states have a lineage that says so: no real program is ever let near them, nor the other way round. */
export const simulatedLineage = "simulated-";
export const isSimulated = ({ lineage }: Snapshot): boolean => lineage.startsWith(simulatedLineage);
