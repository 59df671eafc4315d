// What an answer of Bindcar means: the reason, what the instance says of it, and what the pod says of it (6). Pure.
import { type SafeText, text } from "@telltale/status";
import type { Trouble } from "./bindcar/outcome.ts";
import {
  type BindcarReason,
  REASON_BINDCAR_AUTH_FAILED,
  REASON_BINDCAR_BAD_REQUEST,
  REASON_BINDCAR_INTERNAL_ERROR,
  REASON_BINDCAR_NOT_IMPLEMENTED,
  REASON_BINDCAR_UNREACHABLE,
  REASON_GATEWAY_ERROR,
  REASON_READY,
  REASON_RNDC_AUTHENTICATION_FAILED,
  REASON_ZONE_NOT_FOUND,
} from "./reasons.ts";

/** What a pod's Bindcar did wrong. */
export interface Fault {
  readonly trouble: Trouble;
  /** Which zone it was asked for. */
  readonly zone?: string;
}

/** What is said of a fault. */
export interface Meaning {
  readonly reason: BindcarReason;
  /** Of the whole instance: `No pods are ready: {message}`. */
  readonly message: SafeText;
  /** Of one pod or instance, after its name. */
  readonly phrase: SafeText;
}

/** A fault in the words of 6.1. Bindcar tells a refused key from other errors of its own by the code in the body. */
export function meaningOf({ trouble, zone }: Fault): Meaning {
  if (trouble.at !== "answered") {
    const [reason, message] = mapConnectionError();
    return { reason, message, phrase: text`cannot connect to Bindcar API` };
  }
  const { status, code } = trouble;
  if (status === 500 && code === "RNDC_AUTH") {
    const phrase = text`failed RNDC authentication`;
    return { reason: REASON_RNDC_AUTHENTICATION_FAILED, message: text`RNDC authentication failed`, phrase };
  }
  const [reason, message] = mapHttpErrorToReason(status);
  return { reason, message, phrase: phraseOf(status, zone) };
}

export function mapHttpErrorToReason(status: number): readonly [BindcarReason, SafeText] {
  switch (status) {
    case 400:
      return [REASON_BINDCAR_BAD_REQUEST, text`Invalid request to Bindcar API (400)`];
    case 401:
    case 403:
      return [REASON_BINDCAR_AUTH_FAILED, text`Bindcar authentication failed`];
    case 404:
      return [REASON_ZONE_NOT_FOUND, text`Zone or resource not found in BIND9 (404)`];
    case 500:
      return [REASON_BINDCAR_INTERNAL_ERROR, text`Bindcar API internal error (500)`];
    case 501:
      return [REASON_BINDCAR_NOT_IMPLEMENTED, text`Operation not supported by Bindcar (501)`];
    case 502:
    case 503:
    case 504:
      return [REASON_GATEWAY_ERROR, text`Gateway error reaching Bindcar (${status})`];
    default:
      return [REASON_BINDCAR_UNREACHABLE, text`Unexpected HTTP error from Bindcar (${status})`];
  }
}

export function mapConnectionError(): readonly [BindcarReason, SafeText] {
  return [REASON_BINDCAR_UNREACHABLE, text`Cannot connect to Bindcar API`];
}

export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300;

export const successReason = (): readonly [typeof REASON_READY, SafeText] => [
  REASON_READY,
  text`Operation completed successfully`,
];

function phraseOf(status: number, zone: string | undefined): SafeText {
  switch (status) {
    case 400:
      return text`received an invalid request error from Bindcar API (400)`;
    case 401:
    case 403:
      return text`failed Bindcar authentication (${status})`;
    case 404:
      return zone === undefined
        ? text`is missing a zone or resource in BIND9 (404)`
        : text`is missing zone ${zone} in BIND9 (404)`;
    case 500:
      return text`reported a Bindcar API internal error (500)`;
    case 501:
      return text`does not support the requested Bindcar operation (501)`;
    case 502:
    case 503:
    case 504:
      return text`is unreachable through the gateway (${status})`;
    default:
      return text`returned an unexpected HTTP error from Bindcar (${status})`;
  }
}
