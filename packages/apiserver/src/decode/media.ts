// Media types: which one a body has, which one the client wants, and as what.
import { notAcceptable, StatusError, unsupportedMediaType } from "../status.ts";

export type MediaType = "application/json" | "application/yaml" | "application/vnd.kubernetes.protobuf";

export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** The media type of a request body: none means JSON; parameters do not matter. Throws 415. */
export function bodyMediaType(contentType: string | undefined, accepted: readonly MediaType[] = mediaTypes): MediaType {
  const bare = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (bare === "") return "application/json";
  const found = accepted.find((type) => type === bare);
  if (found === undefined) throw unsupportedMediaType(mediaTypes);
  return found;
}

export type MetaVersion = "v1" | "v1beta1";

/** What the answer is turned into. */
export type Conversion =
  | { readonly as: "Table"; readonly version: MetaVersion }
  | { readonly as: "PartialObjectMetadata"; readonly version: MetaVersion }
  | { readonly as: "PartialObjectMetadataList"; readonly version: MetaVersion }
  | { readonly as: "APIGroupDiscoveryList"; readonly version: "v2" };

export interface Negotiated {
  readonly mediaType: MediaType;
  readonly conversion?: Conversion;
  /** `pretty=1` in the accepted clause. */
  readonly pretty: boolean;
}

export interface NegotiateOptions {
  /** Routes of built-in kinds and of discovery below /apis; not /apis itself, not custom resources. */
  readonly builtin: boolean;
  /** A collection that can be listed. */
  readonly list: boolean;
  readonly watch: boolean;
  /** `plain` documents cannot be converted; /api and /apis can be had as one `aggregated` list. */
  readonly discovery: false | "plain" | "aggregated";
  /** Whether answers can be protobuf. */
  readonly protobuf: boolean;
}

/** Throws 406. */
export function negotiate(accept: string | undefined, options: NegotiateOptions): Negotiated {
  if (accept === undefined || accept.trim() === "") return { mediaType: "application/json", pretty: false };
  const clauses = parseAccept(accept);
  const available = options.list
    ? [...mediaTypes, "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]
    : mediaTypes;
  if (options.builtin && !clauses.some((c) => c.type === "*/*" || mediaTypes.some((type) => type === c.type)))
    throw new StatusError(
      406,
      "NotAcceptable",
      `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`,
      {},
    );
  for (const clause of clauses) {
    for (const mediaType of mediaTypes) {
      if (!matches(clause.type, mediaType)) continue;
      const conversion = conversionOf(clause, mediaType, options);
      if (conversion === "unsupported") continue;
      if (mediaType === "application/vnd.kubernetes.protobuf" && !canBeProtobuf(conversion, options)) continue;
      return {
        mediaType,
        ...(conversion === undefined ? {} : { conversion }),
        pretty: clause.parameters.get("pretty") === "1",
      };
    }
  }
  throw notAcceptable(mediaTypes);
}

/** The media type of a Status: what the client accepts without any conversion, else JSON. */
export function negotiateStatus(accept: string | undefined, protobuf: boolean): MediaType {
  for (const clause of parseAccept(accept ?? "")) {
    const found = mediaTypes.find(
      (type) => matches(clause.type, type) && (protobuf || type !== "application/vnd.kubernetes.protobuf"),
    );
    if (found !== undefined) return found;
  }
  return "application/json";
}

/** 406 when metadata of one object is asked of a list, or the reverse. `goType` is `*core.ConfigMapList`. */
export function checkConversion(conversion: Conversion | undefined, isList: boolean, goType: string): void {
  if (conversion?.as === "PartialObjectMetadata" && isList)
    throw notAcceptableAs(`you requested PartialObjectMetadata, but the requested object is a list (${goType})`);
  if (conversion?.as === "PartialObjectMetadataList" && !isList)
    throw notAcceptableAs(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goType})`,
    );
}

const notAcceptableAs = (message: string): StatusError => new StatusError(406, "NotAcceptable", message);

/** Whether JSON is indented: asked for, or the client is one that people read. */
export function isPretty(query: URLSearchParams, userAgent: string | undefined, negotiated?: Negotiated): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "0" && asked.toLowerCase() !== "false";
  if (negotiated?.pretty === true) return true;
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(userAgent ?? "");
}

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, the best first; equals keep their order. */
function parseAccept(accept: string): Clause[] {
  return accept
    .split(",")
    .map((clause) => {
      const [type = "", ...rest] = clause.split(";").map((part) => part.trim());
      const parameters = new Map(
        rest.map((part) => {
          const cut = part.indexOf("=");
          return cut < 0 ? ([part, ""] as const) : ([part.slice(0, cut).trim(), part.slice(cut + 1).trim()] as const);
        }),
      );
      const quality = Number(parameters.get("q") ?? 1);
      return { type, quality: Number.isNaN(quality) ? 1 : quality, parameters };
    })
    .filter((clause) => clause.type !== "")
    .sort((a, b) => b.quality - a.quality);
}

function matches(wanted: string, type: MediaType): boolean {
  return wanted === "*/*" || wanted === "application/*" || wanted === type;
}

function conversionOf(
  { parameters }: Clause,
  mediaType: MediaType,
  { discovery }: NegotiateOptions,
): Conversion | "unsupported" | undefined {
  const as = parameters.get("as");
  const group = parameters.get("g") ?? "";
  const version = parameters.get("v") ?? "";
  if (as === undefined || as === "") return undefined;
  if (as === "APIGroupDiscoveryList" && group === "apidiscovery.k8s.io" && version === "v2")
    return discovery === "aggregated" ? { as, version } : "unsupported";
  if (discovery !== false || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return "unsupported";
  if (as === "Table") return mediaType === "application/vnd.kubernetes.protobuf" ? "unsupported" : { as, version };
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") return { as, version };
  return "unsupported";
}

function canBeProtobuf(conversion: Conversion | undefined, options: NegotiateOptions): boolean {
  if (!options.protobuf) return false;
  return options.builtin || options.discovery !== false || conversion?.as.startsWith("PartialObjectMetadata") === true;
}
