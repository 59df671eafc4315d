// Lists: which revision they show, page by page, with snapshot consistency.
import type { Clock } from "@telltale/clock";
import type { ListOptions } from "../decode/list-options.ts";
import { badRequest, expired, versionTooLarge } from "../status.ts";
import { Expired } from "../store/errors.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import { type ContinueToken, decodeToken, encodeToken } from "./continue.ts";
import { listPrefix, type Resource } from "./resource.ts";
import { matches, type Selection } from "./selector.ts";

export interface Listed {
  readonly records: readonly StoredRecord[];
  readonly revision: number;
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

/** The revision that a list asks for; undefined: the newest. */
function parseRevision(text: string): number | undefined {
  if (text === "" || text === "0") return undefined;
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

export async function list(
  store: Store,
  clock: Clock,
  r: Resource,
  namespace: string,
  s: Selection,
  o: ListOptions,
): Promise<Listed> {
  if (o.continue !== "" && o.resourceVersion !== "" && o.resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  const wanted = parseRevision(o.resourceVersion);
  const prefix = listPrefix(r, s.namespace ?? namespace);
  const token: ContinueToken = o.continue === "" ? { revision: undefined, after: "" } : decodeToken(o.continue, prefix);
  // A list of one name is no list to page through; and whoever says "any version" gets all of it.
  const limit = s.name !== undefined || o.resourceVersion === "0" ? 0 : o.limit;
  if (token.revision !== undefined && token.revision > store.revision) await newer(store, clock, token.revision);
  const exact =
    (token.revision === undefined ? undefined : Number(token.revision)) ??
    (o.resourceVersionMatch === "Exact" || (o.resourceVersionMatch === "" && limit > 0) ? wanted : undefined);
  if (wanted !== undefined && wanted > store.revision) await newer(store, clock, wanted);
  try {
    return page(store, r, prefix, s, { limit, at: exact, after: token.after });
  } catch (error) {
    if (!(error instanceof Expired)) throw error;
    if (o.continue === "") throw expired("The resourceVersion for the provided list is too old.");
    throw expired(tooOldToken, encodeToken(-1, prefix, token.after));
  }
}

const tooOldToken =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

interface PageOptions {
  readonly limit: number;
  readonly at: number | undefined;
  readonly after: string;
}

function page(store: Store, r: Resource, prefix: string, s: Selection, o: PageOptions): Listed {
  const scan = store.scan(prefix, {
    ...(o.at === undefined ? {} : { at: o.at }),
    ...(o.after === "" ? {} : { after: o.after }),
  });
  const found: StoredRecord[] = [];
  let seen = 0;
  for (const record of scan.records) {
    if (o.limit > 0 && found.length === o.limit) break;
    seen += 1;
    if (matches(s, r, record)) found.push(record);
  }
  const left = scan.records.length - seen;
  const last = scan.records[seen - 1];
  return {
    records: found,
    revision: scan.revision,
    continueToken: left > 0 && last !== undefined ? encodeToken(scan.revision, prefix, last.key) : "",
    remaining: left > 0 && s.all ? left : undefined,
  };
}

/** Waits until the store has come so far, at most three seconds. */
export async function newer(store: Store, clock: Clock, revision: number | bigint): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = store.subscribe("/", store.revision, () => {
      if (store.revision < revision) return;
      timer.cancel();
      stop();
      resolve();
    });
    const timer = clock.after(3_000, () => {
      stop();
      reject(versionTooLarge(revision, store.revision));
    });
  });
}
