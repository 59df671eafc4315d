// Fields that several of our kinds share: references, endpoints, timeouts, and what a Workspace says of itself.
import { Dictionary, Fields, Flag, Int32, Optional, type Rule, Text, Time } from "@telltale/kinds";
import { hostPattern, longestHost } from "../endpoint.ts";

/** Partitions such as us-gov-west-1 have more parts. */
const regionPattern = "^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$";
export const region = () => Text({ pattern: regionPattern, maxLength: 64 });

export const templateRef = () =>
  Fields({
    name: Text({ minLength: 1 }),
    namespace: Optional(Text({ description: "Absent: that of this object" })),
  });

/** Both or neither: half an endpoint is none. */
export const endpoint = () =>
  Fields({
    host: Text({
      minLength: 1,
      maxLength: longestHost,
      pattern: hostPattern,
      description: "A name or an address: no scheme, no port, no path",
    }),
    port: Int32({ minimum: 1, maximum: 65_535 }),
  });

/** Without a default in the schema: there the flag of the operator would never count. */
export const minutes = (standard: number) =>
  Optional(Int32({ minimum: 1, description: `Minutes. Absent: the operator's flag, else ${standard}` }));

export const variables = (rules: readonly Rule[] = []) =>
  Dictionary(Text(), { rules, description: "Further variables for the template" });

export const failure = {
  failureReason: Optional(Text({ maxLength: 256, description: "Set: it failed, and nothing goes on by itself" })),
  failureMessage: Optional(Text()),
} as const;

/** Of kinds that give nothing up for good: their conditions tell. Objects of other installations may have it. */
export const neverFailed = {
  failureReason: Optional(Text({ maxLength: 256, description: "Never set: the conditions tell" })),
  failureMessage: Optional(Text({ description: "Never set: the conditions tell" })),
} as const;

/** What a run has come to, of the two that have a template applied. */
export const revisions = {
  ready: Optional(Flag()),
  lastAppliedRevision: Optional(Text({ maxLength: 64 })),
  lastFailedRevision: Optional(Text({ maxLength: 64 })),
  lastFailureMessage: Optional(Text({ maxLength: 4096 })),
} as const;

export const lastAppliedTime = () => Optional(Time());

export const objectLabels = () =>
  Optional(
    Fields({
      labels: Optional(Dictionary(Text())),
      annotations: Optional(Dictionary(Text())),
    }),
  );
