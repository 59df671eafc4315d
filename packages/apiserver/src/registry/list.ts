// Lists: which revision they show, page by page, with snapshot consistency.
import type { Clock } from "@telltale/clock";
import { parseJson } from "../decode/json.ts";
import type { ListOptions } from "../decode/list-options.ts";
import { type Json, member } from "../json.ts";
import { badRequest, expired, versionTooLarge } from "../status.ts";
import { Expired } from "../store/errors.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
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

interface Token {
  readonly revision: number | undefined;
  readonly after: string;
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
  const token: Token = o.continue === "" ? { revision: undefined, after: "" } : decodeToken(o.continue, prefix);
  // A list of one name is no list to page through; and whoever says "any version" gets all of it.
  const limit = s.name !== undefined || o.resourceVersion === "0" ? 0 : o.limit;
  const exact =
    token.revision ??
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
export async function newer(store: Store, clock: Clock, revision: number): Promise<void> {
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

const tokenVersion = "meta.k8s.io/v1";

function encodeToken(revision: number, prefix: string, key: string): string {
  const start = `${key.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: tokenVersion, rv: revision, start })).toString("base64url");
}

function decodeToken(text: string, prefix: string): Token {
  const bad = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  let token: Json;
  try {
    token = parseJson(Buffer.from(text, "base64url")).value;
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error));
  }
  const [v, rv, start] = [member(token, "v"), member(token, "rv"), member(token, "start")];
  if (v !== tokenVersion) throw bad(`server does not recognize this encoded version ${String(v ?? "")}`);
  if (rv === 0 || rv === undefined) throw bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "") throw bad("encoded start key empty (version meta.k8s.io/v1)");
  const key = start.endsWith("\u0000") ? start.slice(0, -1) : start;
  if (`/${key}`.split("/").some((part, i) => i > 0 && (part === "." || part === ".." || part === ""))) throw bad(start);
  return { revision: Number(rv) < 0 ? undefined : Number(rv), after: `${prefix}${key}` };
}
