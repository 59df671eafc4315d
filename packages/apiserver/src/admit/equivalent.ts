// One object, several versions: where else a resource is served, and an object as it looks there.
import { at, type JsonObject, text } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import { withMetadata } from "../registry/metadata.ts";
import type { Resource } from "../registry/resource.ts";
import { ParsedObjects, StoredRecord } from "../store/record.ts";

/** The other resources that are a view on the same stored objects. */
export function equivalents(catalogue: Catalogue, r: Resource): Resource[] {
  return catalogue
    .all()
    .filter(
      (other) =>
        other.storage.group === r.storage.group &&
        other.storage.resource === r.storage.resource &&
        (other.group !== r.group || other.version !== r.version || other.resource !== r.resource),
    );
}

/** Whether an object is one of the resource itself, and not of an endpoint beside it such as a Scale. */
export const isOf = (object: JsonObject, r: Resource): boolean =>
  object["kind"] === r.kind && object["apiVersion"] === r.apiVersion;

/** An object of one version in another. What is not an object of the resource (a Scale) is the same in all. */
export async function inVersion<T extends JsonObject | undefined>(object: T, from: Resource, to: Resource): Promise<T> {
  if (object === undefined || from === to || !isOf(object, from)) return object;
  const direct = from.convertTo?.(object, to.apiVersion);
  if (direct !== undefined) return direct as T;
  const stored = await from.toStorage(object);
  // Versions are read from records; this one is never stored, and keeps the version it came with.
  const record = StoredRecord.of({ key: "", revision: 1, created: 1 }, stored, new ParsedObjects());
  const version = text(at(object, "metadata", "resourceVersion"));
  return withMetadata(await to.read(record), { resourceVersion: version === "" ? undefined : version }) as T;
}
