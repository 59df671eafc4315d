// Why a request is not done, as the caller hears it. What is behind a 5xx is for the log, and never leaves the process.
import type { FailureCode } from "../bindcar/contract.ts";

export class Refused extends Error {
  readonly status: number;
  readonly code: FailureCode | undefined;
  /** For the log only. */
  override readonly cause: unknown;

  constructor(status: number, error: string, more: { readonly code?: FailureCode; readonly cause?: unknown } = {}) {
    super(error);
    this.name = "Refused";
    this.status = status;
    this.code = more.code;
    this.cause = more.cause;
  }
}

/** What was asked for cannot be: 400. */
export const bad = (error: string): Refused => new Refused(400, error);

export const noSuchZone = (zone: string): Refused => new Refused(404, `Zone ${zone} not found`);

export const zoneExists = (zone: string): Refused => new Refused(409, `Zone ${zone} already exists`);

export const failed = (code: FailureCode, cause: unknown): Refused =>
  new Refused(500, "Internal server error", { code, cause });
