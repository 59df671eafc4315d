// Where a provider that somebody else runs is reached: the address of its host that was checked, and no second lookup (7.4).
import { isIP } from "node:net";
import { text } from "@telltale/status";
import { type AddressPolicy, checkHost, type Lookup } from "../addresses.ts";
import type { External } from "./wanted.ts";

export interface ExternalEndpoints {
  /** The address for `host:port` of a Provider. `known` is the one that is used now: it stays as long as the host has it. */
  readonly of: (uid: string, endpoint: string, known: string | undefined) => Promise<External>;
  /** The Provider is gone: nothing is kept of it. */
  readonly forget: (uid: string) => void;
}

export function externalEndpoints(policy: AddressPolicy, lookup: Lookup): ExternalEndpoints {
  /** What was allowed last, by Provider: a host that cannot be looked up for a moment is still where it was. */
  const last = new Map<string, { readonly host: string; readonly at: string }>();
  const of: ExternalEndpoints["of"] = async (uid, endpoint, known) => {
    const [, host = "", port = ""] = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+):([0-9]{1,5})$/.exec(endpoint) ?? [];
    if (host === "" || Number(port) < 1 || Number(port) > 65_535) {
      return { refused: text`the annotation virtrigaud.io/runtime-endpoint is no host:port` };
    }
    const checked = await checkHost(host, policy, lookup);
    const before = last.get(uid);
    if (checked.is === "unknown" && before?.host === endpoint) return { endpoint: before.at };
    if (checked.is !== "allowed") return { refused: text`runtime-endpoint: ${checked.why}` };
    const all = checked.addresses.map((address) => `${isIP(address) === 6 ? `[${address}]` : address}:${port}`);
    const chosen = all.find((it) => it === known) ?? all[0] ?? "";
    last.set(uid, { host: endpoint, at: chosen });
    return { endpoint: chosen };
  };
  return { of, forget: (uid) => void last.delete(uid) };
}
