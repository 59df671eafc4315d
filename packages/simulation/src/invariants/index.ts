// Everything that must hold, by its number.
import type { Invariant } from "../invariant.ts";
import { caches } from "./caches.ts";
import { children } from "./children.ts";
import { conditions } from "./conditions.ts";
import { counts } from "./counts.ts";
import { deadlines } from "./deadlines.ts";
import { deletions } from "./deletions.ts";
import { ends } from "./ends.ts";
import { finalizers } from "./finalizers.ts";
import { leaders } from "./leaders.ts";
import { promises } from "./promises.ts";
import { queues } from "./queues.ts";
import { readers } from "./readers.ts";
import { retries } from "./retries.ts";
import { safety } from "./safety.ts";
import { samples } from "./samples.ts";
import { statuses } from "./statuses.ts";
import { stops } from "./stops.ts";
import { writes } from "./writes.ts";

export const invariants: readonly Invariant[] = [
  ...ends,
  counts,
  deletions,
  ...children,
  finalizers,
  ...statuses,
  promises,
  ...writes,
  ...conditions,
  leaders,
  deadlines,
  retries,
  ...caches,
  queues,
  stops,
  ...readers,
  samples,
  safety,
].toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
