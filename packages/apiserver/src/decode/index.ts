export { type BodyRequest, type DecodedBody, decodeBody, decodeMetadata, type ExpectedKind } from "./body.ts";
export {
  type Duplicate,
  JsonError,
  maxDepth,
  type Parsed,
  type ParseOptions,
  parseJson,
  type Repeated,
} from "./json.ts";
export { decodeListOptions, type ListOptions, type VersionMatch } from "./list-options.ts";
export {
  bodyMediaType,
  type Conversion,
  checkConversion,
  isPretty,
  type MediaType,
  type MetaVersion,
  mediaTypes,
  type Negotiated,
  type NegotiateOptions,
  negotiate,
  negotiateStatus,
} from "./media.ts";
export { messageName } from "./message-name.ts";
export { normalize } from "./normalize.ts";
export {
  type DeleteOptions,
  decodeOptions,
  decodeQueryOptions,
  type FieldValidation,
  type Propagation,
  queryBoolean,
  queryInteger,
  type WriteOptions,
  type WriteVerb,
} from "./options.ts";
export { maxBodyDepth } from "./parse-body.ts";
export { decodeProtobuf, decodeWire, type Envelope, openEnvelope, WireError } from "./protobuf.ts";
export { encodeEnvelope, encodeProtobuf, encodeProtobufList, encodeWire } from "./protobuf-encode.ts";
export { decodeMessage, decodeTyped, type Typed, type Written } from "./typed.ts";
export { ValueError } from "./values.ts";
export { type ParsedYaml, parseYaml, YamlError } from "./yaml.ts";
