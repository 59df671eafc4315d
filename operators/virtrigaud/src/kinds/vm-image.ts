// VMImage: what a machine is made from, and on which providers it lies ready. This is everything that it can say of itself (3.8).
import {
  age,
  column,
  conditions,
  Dictionary,
  defineKind,
  Enum,
  Fields,
  Flag,
  Int32,
  neutral,
  no,
  Optional,
  phases,
  positive,
  Quantity,
  type Resource,
  type Static,
  Text,
  Time,
  unknown,
  yes,
} from "@telltale/kinds";
import { group, version } from "../names.ts";
import { failsAloud } from "./failures.ts";
import { bytes, eta, message, percentage, providerEntry, providerKeys } from "./fields.ts";
import { lookAtProvider, providerUnreachable, reconcileFailed, validationError } from "./reasons.ts";
import { imageFormats, VMImageSpec } from "./vm-image-spec.ts";

/** Why a preparation ended badly, as a condition reports it. */
export const imageFailureReasons = [
  "ProviderError",
  "Timeout",
  "ChecksumMismatch",
  "Unsupported",
  "ValidationError",
] as const;

const providerAway = ["Unavailable", "Retryable", "RateLimit", "Unauthorized", "QuotaExceeded"] as const;

/** Failures of a provider that are no fault of the image, and pass. */
export const passingFailures = ["Timeout", ...providerAway] as const;

const onProvider = Fields({
  ...providerEntry,
  path: Optional(Text()),
  size: Optional(Quantity()),
  state: Optional(
    Enum(["Prepared", "Reference", "Importing", "Failed", "Unanswered", "Refused"], {
      description:
        "How the image stands there. Refused: not tried again before the spec changes. Reference: from an earlier version, dropped",
    }),
  ),
  failedAttempts: Optional(
    Int32({ minimum: 0, description: "Attempts that failed, of the retries that the spec allows" }),
  ),
  tries: Optional(Int32({ minimum: 0, description: "Calls of this attempt that the provider did not answer" })),
  reason: Optional(
    Enum([...imageFailureReasons, ...providerAway], {
      description: "Why it failed, was refused or was not answered",
    }),
  ),
});
export type ProviderImageStatus = Static<typeof onProvider>;

const importProgress = Fields({
  percentage: Optional(percentage()),
  startTime: Optional(Time()),
  totalBytes: Optional(bytes()),
  transferredBytes: Optional(bytes()),
  transferRate: Optional(bytes()),
  eta: eta(),
});
export type ImageImportProgress = Static<typeof importProgress>;

const status = Fields({
  message: message(),
  ready: Flag({ description: "Whether at least one provider has it; absent where that is not known" }),
  availableOn: providerKeys(),
  providerStatus: Dictionary(onProvider, { maxProperties: 1000, description: "By provider" }),
  prepareTaskRef: Text({ maxLength: 1024, description: "The provider and its task, with a | between them" }),
  lastPrepareTime: Time(),
  importProgress,
  format: Enum(imageFormats),
  size: Quantity(),
  checksum: Text({ maxLength: 256 }),
});

/** How a preparation ends badly. */
const trouble = {
  ProviderError: no("The provider could not prepare it", lookAtProvider),
  Timeout: no(
    "The provider took longer than spec.prepare.timeout",
    "raise spec.prepare.timeout, or look at the provider",
  ),
  ChecksumMismatch: no(
    "What was fetched is not what the checksum says",
    "correct the checksum, or find out who changed the file",
  ),
  Unsupported: no(
    "The provider cannot take an image of this kind",
    "read the message; use another source, or put the image on the provider by hand and refer to it",
  ),
} as const;

const working = {
  Importing: yes("It does", "wait"),
  Prepared: no("It has it", "nothing to do"),
  ...trouble,
  ...providerUnreachable,
} as const;

const works = ["Downloading", "Importing", "Converting", "Optimizing"] as const;

export const VMImage = defineKind({
  group,
  version,
  kind: "VMImage",
  shortNames: ["vmimg"],
  description: "What machines are made from.",
  spec: VMImageSpec,
  status,
  phases: phases(
    {
      Pending: [...works, "Ready", "Failed"],
      Downloading: ["Importing", "Converting", "Optimizing", "Pending", "Ready", "Failed"],
      Importing: ["Downloading", "Converting", "Optimizing", "Pending", "Ready", "Failed"],
      Converting: ["Downloading", "Importing", "Optimizing", "Pending", "Ready", "Failed"],
      Optimizing: ["Downloading", "Importing", "Converting", "Pending", "Ready", "Failed"],
      Ready: [...works, "Pending", "Failed"],
      Failed: [...works, "Pending", "Ready"],
    },
    {
      initial: ["Pending", "Importing", "Ready", "Failed"],
      means: {
        Pending: "no machine wants it yet, it waits for somebody to bring it, or nothing is known of it now",
        Downloading: "a provider fetches it",
        Importing: "a provider takes it in",
        Converting: "a provider writes it in its own format",
        Optimizing: "a provider makes it smaller",
        Ready: "a provider that answers has prepared it",
        Failed: "no provider has it, and nobody goes on trying",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "A provider that answers has prepared the image",
      reasons: {
        Prepared: yes("A provider has prepared it"),
        Reference: unknown(
          "It refers to something on the provider, is used as it is, and no call asks whether it is there",
          "nothing; a machine that is made from it shows whether it is there",
        ),
        NotAsked: unknown(
          "A provider has not said yet whether it imports images",
          "wait; look at Connected of the Provider",
        ),
        ...providerUnreachable,
        Importing: no("A provider is preparing it", "wait"),
        MissingOnProvider: no(
          "A provider lacks it, and spec.prepare.onMissing is Fail",
          "put it on the provider, or set spec.prepare.onMissing to Import",
        ),
        WaitingForImage: no(
          "A provider lacks it, and spec.prepare.onMissing is Wait",
          "put it on the provider, or set spec.prepare.onMissing to Import",
        ),
        NotRequested: no(
          "No machine wants it",
          "nothing; or name providers in the annotation virtrigaud.io/prepare-on to have it ready before",
        ),
        ...trouble,
        ...validationError,
        ...reconcileFailed,
      },
    }),
    Downloading: neutral({
      means: "A provider fetches the image",
      present: "onceSet",
      reasons: working,
    }),
    Importing: neutral({
      means: "A provider takes the image in",
      present: "onceSet",
      reasons: working,
    }),
    Validated: positive({
      means: "The spec keeps the rules, and the checksum was right where one is given",
      present: "onceSet",
      reasons: {
        Prepared: yes("The provider has checked it"),
        Reference: yes("There is nothing to check"),
        NotRequested: unknown("Nothing has been fetched yet", "wait"),
        Importing: unknown("It is being fetched", "wait"),
        ChecksumMismatch: trouble.ChecksumMismatch,
        ...validationError,
      },
    }),
  }),
  memory: [
    "phase",
    "message",
    "ready",
    "availableOn",
    "providerStatus",
    "prepareTaskRef",
    "lastPrepareTime",
    "importProgress",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Downloading",
    "conditions.Importing",
    "conditions.Validated",
  ],
  urgent: [
    "phase",
    "prepareTaskRef",
    "availableOn",
    "conditions.Ready",
    "conditions.Downloading",
    "conditions.Importing",
    "conditions.Validated",
  ],
  volatile: ["importProgress"],
  maxStatusBytes: 512 * 1024,
  failures: failsAloud,
  columns: [
    column("Ready", ".status.ready", "boolean"),
    column("Phase", ".status.phase"),
    column("Size", ".status.size"),
    column("Providers", ".status.availableOn[*]"),
    age(),
  ],
});
export type { VMImageSpec } from "./vm-image-spec.ts";
export type VMImage = Resource<typeof VMImage>;
export type VMImageStatus = NonNullable<VMImage["status"]>;
