// Everything that must hold, by its number.
import type { Invariant } from "../invariant.ts";
import { ends } from "./ends.ts";
import { statuses } from "./statuses.ts";
import { writes } from "./writes.ts";

export const invariants: readonly Invariant[] = [...ends, ...statuses, ...writes];
