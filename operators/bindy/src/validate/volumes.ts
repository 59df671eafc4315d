// Volumes and mounts of people's own in the pods of an instance: an allow-list (12.3). What is not known is refused.
import { text } from "@telltale/status";
import type { Bind9InstanceSpec } from "../kinds/bind9-instance.ts";
import { each, type Problem, twice, unless, wrong } from "./problem.ts";

type Pod = Pick<Bind9InstanceSpec, "volumes" | "volumeMounts">;
type Volume = NonNullable<Pod["volumes"]>[number];
type Mount = NonNullable<Pod["volumeMounts"]>[number];

/** Volumes that the operator makes itself. */
export const operatorVolumes = [
  "zones",
  "cache",
  "rndc-key",
  "config",
  "tmp",
  "named-conf",
  "named-conf-options",
  "named-conf-zones",
  "dnssec-keys",
] as const;

export function* volumeProblems({ volumes, volumeMounts }: Pod): Iterable<Problem> {
  yield* each("spec.volumes", volumes, oneVolume);
  const names = (volumes ?? []).map(({ name }) => name);
  yield* twice("spec.volumes", names, "volume");
  yield* each("spec.volumeMounts", volumeMounts, oneMount);
  yield* each("spec.volumeMounts", volumeMounts, ({ name }, path) =>
    unless(names.includes(name), `${path}.name`, text`names no volume of spec.volumes`),
  );
  const places = (volumeMounts ?? []).map(({ mountPath }) => mountPath);
  yield* twice("spec.volumeMounts", places, "mountPath");
}

const prefix = "bindy-";
const kinds = ["emptyDir", "configMap", "secret", "persistentVolumeClaim"];

function* oneVolume(volume: Volume, path: string): Iterable<Problem> {
  const isFree = !operatorVolumes.some((own) => own === volume.name);
  yield* unless(isFree, `${path}.name`, text`is a volume of the operator`);
  const sources = Object.keys(volume).filter((member) => member !== "name");
  const [source, ...more] = sources;
  if (source === undefined || more.length > 0) {
    return yield wrong(path, text`does not have exactly one of ${kinds.join(", ")}`);
  }
  if (!kinds.includes(source)) return yield wrong(path, text`is none of ${kinds.join(", ")}`);
  if (source === "emptyDir") return;
  const named = volume.configMap?.name ?? volume.secret?.secretName ?? volume.persistentVolumeClaim?.claimName ?? "";
  yield* unless(named.startsWith(prefix), `${path}.${source}`, text`has a name that does not begin with ${prefix}`);
}

const places = ["/data/", "/var/log/bind/"];

function* oneMount({ mountPath, subPath, subPathExpr }: Mount, path: string): Iterable<Problem> {
  for (const [field, value] of Object.entries({ mountPath, subPath, subPathExpr })) {
    yield* unless(value?.includes("..") !== true, `${path}.${field}`, text`contains ..`);
  }
  const isPlace = places.some((place) => mountPath.startsWith(place)) && !/[:\0\n\r]/.test(mountPath);
  yield* unless(isPlace, `${path}.mountPath`, text`does not begin with ${places.join(" or ")}`);
}
