// What is asked before anything is written: those who may change an object, then those who may refuse it.
import type { JsonObject } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import type { User } from "../request.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One write, as admission sees it. */
export interface Attributes {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty while a name is still to be generated. */
  readonly name: string;
  /** Undefined on DELETE. */
  readonly object: JsonObject | undefined;
  /** Undefined on CREATE. */
  readonly oldObject: JsonObject | undefined;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject;
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
  /** Notes something for the audit of the request. */
  readonly annotate?: ((name: string, value: string) => void) | undefined;
}

export interface Admission {
  /** The object as it shall be; throws a StatusError to refuse. */
  mutate(attributes: Attributes): Promise<JsonObject | undefined>;
  /** Throws a StatusError to refuse. */
  validate(attributes: Attributes): Promise<void>;
}
