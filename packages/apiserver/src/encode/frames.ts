// Watch events as lines of JSON. Plain ones are made once an object, however many watch it.
import type { Instant } from "@telltale/kinds";
import { checkConversion, type Negotiated } from "../decode/media.ts";
import { at, type JsonObject, stringify } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import type { Framer, WatchType } from "../registry/watch.ts";
import type { StoredRecord } from "../store/record.ts";
import { goType, partial } from "./partial.ts";
import { includedObject, table, tableForm } from "./table.ts";

/** How the events of one watch on a store are written. */
export function framer(
  store: object,
  r: Resource,
  asked: Negotiated,
  query: URLSearchParams,
  now: () => Instant,
): Framer {
  const as = asked.conversion?.as;
  const version = asked.conversion?.version ?? "v1";
  if (as === undefined) return plain(framesOf(store, r), r);
  checkConversion(asked.conversion, false, goType(r, false));
  if (as === "PartialObjectMetadata") return converted(r, (object) => partial(object, version));
  return converted(r, rows(r, version, query, now));
}

const line = (type: WatchType, object: string): string => `{"type":"${type}","object":${object}}\n`;
const errorLine = (status: JsonObject): string => line("ERROR", stringify(status));

function plain(frames: Frames, r: Resource): Framer {
  return {
    frame: (type, record) => frames.of(type, record, r),
    bookmark: (object) => line("BOOKMARK", stringify(object)),
    error: errorLine,
  };
}

// Built-in resources outlive a server: by its store, what it had goes with it.
const sharedFrames = new WeakMap<object, WeakMap<Resource, Frames>>();

/** By resource: another version of the same object is another text. */
function framesOf(store: object, r: Resource): Frames {
  const all = sharedFrames.get(store) ?? new WeakMap<Resource, Frames>();
  const frames = all.get(r) ?? new Frames();
  sharedFrames.set(store, all.set(r, frames));
  return frames;
}

type Frame = string | Promise<string>;

// Enough for the events under way. One for every stored object would keep all of them in memory twice.
const kept = 256;

/** The frames that were made last. All watchers get an event one after another, so the first one pays. */
class Frames {
  readonly #made = new Map<StoredRecord, { type: WatchType; frame: Frame }>();

  of(type: WatchType, record: StoredRecord, r: Resource): Frame {
    const known = this.#made.get(record);
    if (known !== undefined && known.type === type) return known.frame;
    const frame = make(type, record, r);
    if (this.#made.size >= kept) {
      for (const oldest of this.#made.keys()) {
        this.#made.delete(oldest);
        break;
      }
    }
    this.#made.set(record, { type, frame });
    // A conversion that failed may work the next time.
    if (typeof frame !== "string") frame.catch(() => this.#made.delete(record));
    return frame;
  }
}

function make(type: WatchType, record: StoredRecord, r: Resource): Frame {
  const ready = r.json(record);
  if (ready !== undefined) return line(type, ready);
  const object = r.read(record);
  return object instanceof Promise ? object.then((o) => line(type, stringify(o))) : line(type, stringify(object));
}

/** Frames of another form than the stored one, made for this watch alone. */
function converted(r: Resource, convert: (object: JsonObject) => JsonObject): Framer {
  const frame = (type: WatchType, object: JsonObject): string => line(type, stringify(convert(object)));
  return {
    frame: (type, record) => {
      const object = r.read(record);
      return object instanceof Promise ? object.then((o) => frame(type, o)) : frame(type, object);
    },
    bookmark: (object) => frame("BOOKMARK", object),
    error: errorLine,
  };
}

/** Tables of one row, of which only the first says what its columns are. */
function rows(
  r: Resource,
  version: string,
  query: URLSearchParams,
  now: () => Instant,
): (object: JsonObject) => JsonObject {
  const include = includedObject(query);
  const form = tableForm(r, r.kind);
  let first = true;
  return (object) => {
    const columns = first ? form.columns : null;
    first = false;
    const resourceVersion = at(object, "metadata", "resourceVersion") ?? "";
    return table(version, form, columns, { resourceVersion }, [object], include, now());
  };
}
