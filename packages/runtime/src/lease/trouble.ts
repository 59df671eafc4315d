// What keeps us from a Lease, told once for each kind of trouble until it is over, with the way out.
import {
  ApiError,
  ConnectionError,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  TimeoutError,
} from "@telltale/client";
import type { Log } from "../log.ts";

export interface Trouble {
  readonly kind: "forbidden" | "unknown" | "missing" | "invalid" | "contended" | "busy" | "unreachable" | "failed";
  readonly message: string;
  readonly fix: string;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
  /** What an account has to be allowed: `get, create and patch`. */
  readonly verbs: string;
}

export function troubleOf(error: unknown, { namespace, name, verbs }: Place): Trouble {
  const what = `Lease ${namespace}/${name}`;
  const said = error instanceof Error ? error.message : String(error);
  if (isForbidden(error)) {
    const fix = `allow this account to ${verbs} leases of coordination.k8s.io in namespace ${namespace}`;
    return { kind: "forbidden", message: `may not use ${what}: ${said}`, fix };
  }
  if (isUnauthorized(error) || (error instanceof ConnectionError && ["credentials", "tls"].includes(error.step))) {
    const fix = "renew the credentials of this process, or correct its kubeconfig";
    return { kind: "unknown", message: `the server does not know us, or we do not trust it: ${said}`, fix };
  }
  if (isNotFound(error)) {
    const fix = `create namespace ${namespace}, or say in which namespace the Lease is to be`;
    return { kind: "missing", message: `there is no place for ${what}: ${said}`, fix };
  }
  if (isInvalid(error) || (error instanceof ApiError && error.code === 400)) {
    const fix = "correct the Lease's name and times in the settings of this process";
    return { kind: "invalid", message: `the server does not accept ${what}: ${said}`, fix };
  }
  if (isConflict(error)) {
    const fix = `find out who writes to it all the time: kubectl get lease -n ${namespace} ${name} -o yaml --show-managed-fields`;
    return { kind: "contended", message: `somebody else was faster each time at ${what}: ${said}`, fix };
  }
  if (isTooManyRequests(error) || (error instanceof ApiError && error.code >= 500)) {
    return { kind: "busy", message: `the server cannot serve ${what} now: ${said}`, fix: "look after the API server" };
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const fix = "look after the API server and the way to it";
    return { kind: "unreachable", message: `${what} is out of reach: ${said}`, fix };
  }
  return { kind: "failed", message: `${what}: ${said}`, fix: "this is not expected: report it with this line" };
}

/** What somebody has to put right, while the rest may pass by itself. */
const lasting: readonly Trouble["kind"][] = ["forbidden", "unknown", "missing", "invalid", "failed"];

export class Troubles {
  readonly #log: Log;
  readonly #place: Place;
  readonly #told = new Set<Trouble["kind"]>();

  constructor(log: Log, place: Place) {
    this.#log = log;
    this.#place = place;
  }

  tell(error: unknown): void {
    const { kind, message, fix } = troubleOf(error, this.#place);
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    if (lasting.includes(kind)) this.#log.error(message, { trouble: kind, fix });
    else this.#log.warn(message, { trouble: kind, fix });
  }

  /** It works again. */
  over(): void {
    if (this.#told.size === 0) return;
    this.#log.info("the Lease is within reach again", { after: [...this.#told] });
    this.#told.clear();
  }
}
