// The types of Kubernetes' own API: as schemas to embed, and as facts for codecs and merges.
export { CoreType, type CoreTypeOptions } from "./core-type.ts";
export * from "./embedded.ts";
export {
  type Field,
  type FieldType,
  type Message,
  message,
  messages,
  parseTypeTable,
  type Scalar,
} from "./type-table-parser.ts";
