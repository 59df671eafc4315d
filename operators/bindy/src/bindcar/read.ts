// Bodies of Bindcar as values: what is no body of this kind is undefined. Bytes become values here and nowhere else.
import {
  type FailureCode,
  failureCodes,
  type Health,
  type PutRRsetsResponse,
  type RRset,
  type RRsets,
  type ZoneInfo,
  type ZoneList,
} from "./contract.ts";
import { type ZoneStatus, zoneStatusOf } from "./zone-status.ts";

type Json = Readonly<Record<string, unknown>>;

/** Wrapped, as nothing is a value too. */
export type Read<T> = (body: Json) => { readonly it: T } | undefined;

export function read<T>(text: string, as: Read<T>): { readonly it: T } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? as(value) : undefined;
  } catch {
    return undefined;
  }
}

export const readers = {
  nothing: () => ({ it: undefined }),
  health: (body: Json) => of(body["status"] === "healthy" ? (body as unknown as Health) : undefined),
  serverStatus: ({ status }: Json) => of(typeof status === "string" ? status : undefined),
  zoneStatus: ({ details }: Json): { readonly it: ZoneStatus } => ({
    it: zoneStatusOf(typeof details === "string" ? details : ""),
  }),
  zoneList: (body: Json) => of(isTexts(body["zones"]) ? (body as unknown as ZoneList) : undefined),
  zoneInfo: (body: Json) => of(typeof body["name"] === "string" ? (body as unknown as ZoneInfo) : undefined),
  rrsets: (body: Json) =>
    of(isCount(body["serial"]) && isRRsets(body["rrsets"]) ? (body as unknown as RRsets) : undefined),
  putRRsets: (body: Json) => of(isCount(body["serial"]) ? (body as unknown as PutRRsetsResponse) : undefined),
  failureCode: ({ code }: Json) => of(failureCodes.find((it): it is FailureCode => it === code)),
};

const of = <T>(value: T | undefined): { readonly it: T } | undefined =>
  value === undefined ? undefined : { it: value };

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((it) => typeof it === "string");

const isRRsets = (value: unknown): value is readonly RRset[] =>
  Array.isArray(value) &&
  value.every(
    (it) =>
      isObject(it) &&
      typeof it["name"] === "string" &&
      typeof it["type"] === "string" &&
      isCount(it["ttl"]) &&
      isTexts(it["values"]),
  );
