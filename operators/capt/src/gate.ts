// Who is left alone (3.6.1, G2-G7b): those that are not ours, have no owner yet, are paused, or whose Cluster goes away.
import { type Instant, type KindRef, type KubeObject, type Ms, type ObjectMeta, plus } from "@telltale/kinds";
import type { Gate, Look } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Cluster } from "./kinds/cluster.ts";
import { annotations, clusterGroup, labels } from "./names.ts";
import { pauseOf } from "./pause.ts";

export interface GateOptions {
  readonly watchFilter?: string | undefined;
  /** Whether the object may be managed by somebody else, as infrastructure may. */
  readonly isInfrastructure: boolean;
}

/** What becomes of an object before anything is touched. */
export type Passage =
  | { readonly as: "ignored" } // not ours, or not yet: nothing is written, however often it is asked
  | { readonly as: "put off"; readonly again: Ms } // the same, and nobody may tell when it is time
  | { readonly as: "paused"; readonly why: SafeText }
  | { readonly as: "open" };

const soon: Ms = 10_000;

/** First match wins. */
export function passageOf(
  object: KubeObject & { readonly spec?: unknown },
  cluster: Cluster | undefined,
  options: GateOptions,
): Passage {
  const metadata = object.metadata ?? {};
  const { watchFilter, isInfrastructure } = options;
  if (watchFilter !== undefined && metadata.labels?.[labels.watchFilter] !== watchFilter) return { as: "ignored" };
  if (isInfrastructure && isManagedElsewhere(metadata)) return { as: "ignored" };
  const isLeaving = metadata.deletionTimestamp !== undefined;
  // One without a spec got past admission: there is nothing to do for it.
  if (!isLeaving && (object.spec === undefined || ownerOf(object) === undefined)) return { as: "ignored" };
  if (!isLeaving && cluster === undefined) return { as: "put off", again: soon };
  const why = pauseOf(object, cluster);
  if (why !== undefined) return { as: "paused", why };
  if (!isLeaving && cluster?.metadata.deletionTimestamp !== undefined) return { as: "put off", again: soon };
  return { as: "open" };
}

/** The Cluster that owns an object: by its reference, whatever the version, and never by its name alone. */
export function clusterOf(object: KubeObject, look: Pick<Look, "get">, kind: KindRef<Cluster>): Cluster | undefined {
  const owner = ownerOf(object);
  if (owner === undefined) return undefined;
  const { namespace = "" } = object.metadata ?? {};
  const found = look.get(kind, { namespace, name: owner.name });
  return found?.metadata.uid === owner.uid ? found : undefined;
}

export const ownerOf = ({ metadata }: KubeObject) =>
  metadata?.ownerReferences?.find(({ kind, apiVersion }) => {
    return kind === "Cluster" && apiVersion.split("/")[0] === clusterGroup;
  });

/** How a paused object is looked at again, should nobody tell that it is paused no more. */
export const pauseEnds = (now: Instant): Instant => plus(now, 300_000);

/** As the runtime wants it. `hold` says of a paused object that it is. */
export const gateOf = <K extends KindRef>(
  passage: Passage,
  hold: (why: SafeText) => Extract<Gate<K>, { only: unknown }>,
): Gate<K> => {
  if (passage.as === "ignored") return "ignore";
  if (passage.as === "put off") return { again: passage.again };
  return passage.as === "paused" ? hold(passage.why) : "go";
};

/** An annotation in Cluster API's code, a label in its documents. */
const isManagedElsewhere = ({ annotations: notes, labels: marks }: ObjectMeta): boolean =>
  notes?.[annotations.managedBy] !== undefined || marks?.[labels.managedBy] !== undefined;
