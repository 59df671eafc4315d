// What the operator asked of the server, from the server's own audit log: it is the only user that the policy logs.
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { percentile } from "../table.ts";

export interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly code: number;
  /**
   * It begins to read everything: the first page of a list, or a watch that begins with one. A list of a single object only
   * asks where the server is.
   */
  readonly lists: boolean;
  /** Milliseconds since the epoch at which the server received it. */
  readonly at: number;
  /** Milliseconds until the server had answered it, or begun to. */
  readonly took: number;
}

export const operatorUser = "operator";

export const auditPolicy = JSON.stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", users: [operatorUser] }, { level: "None" }],
});

export const auditFlags = (policy: string, log: string): string[] => [
  `--audit-policy-file=${policy}`,
  `--audit-log-path=${log}`,
  "--audit-log-maxsize=100000", // never another file
];

/** Reads on from where it last stopped. */
export class AuditLog {
  readonly #path: string;
  #offset = 0;
  #rest = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** What was asked since the last call. A watch is told when it begins. */
  news(): Asked[] {
    if (!existsSync(this.#path)) return [];
    const file = openSync(this.#path, "r");
    const chunk = Buffer.alloc(fstatSync(file).size - this.#offset);
    readSync(file, chunk, 0, chunk.length, this.#offset);
    closeSync(file);
    this.#offset += chunk.length;
    const lines = (this.#rest + chunk.toString()).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => asked(JSON.parse(line) as AuditEvent));
  }
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

function asked(event: AuditEvent): Asked[] {
  const { verb, objectRef, responseStatus, requestURI } = event;
  const code = responseStatus?.code ?? 0;
  const begins = event.stage === "ResponseStarted";
  // A watch that never began has only its end.
  if (verb === "watch" ? !begins && code < 300 : begins) return [];
  const at = microseconds(event.requestReceivedTimestamp);
  return [
    {
      verb,
      resource: objectRef?.resource ?? "",
      subresource: objectRef?.subresource ?? "",
      code,
      lists:
        verb === "list"
          ? !/[?&](limit=1(&|$)|continue=)/.test(requestURI)
          : /[?&]sendInitialEvents=true/.test(requestURI),
      at: at / 1_000,
      took: (microseconds(event.stageTimestamp) - at) / 1_000,
    },
  ];
}

/** Of `2026-01-01T00:00:00.123456Z`: the audit log is finer than a Date. */
const microseconds = (time: string): number =>
  Date.parse(`${time.slice(0, 19)}Z`) * 1_000 + Number(time.slice(20, 26).padEnd(6, "0"));

const writing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Counts of what was asked. */
export function tally(all: readonly Asked[]) {
  const writes = all.filter(({ verb }) => writing.has(verb));
  const statuses = writes.filter(({ subresource, code }) => subresource === "status" && code < 300);
  const took = statuses.map((write) => write.took);
  return {
    statusWrites: statuses.length,
    ...(took.length > 0 && { status50: percentile(took, 0.5), status99: percentile(took, 0.99) }),
    otherWrites: writes.filter(({ subresource, code }) => subresource !== "status" && code < 300).length,
    // A failed JSON Patch test answers 422: the same to who wanted to write.
    conflicts: writes.filter(({ code }) => code === 409 || code === 422).length,
    throttled: all.filter(({ code }) => code === 429).length,
    lists: all.filter(({ lists }) => lists).length,
    watches: all.filter(({ verb }) => verb === "watch").length,
  };
}
