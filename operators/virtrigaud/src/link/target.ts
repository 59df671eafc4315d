// From a Provider to where it is reached and how much it may be asked. Pure, and total: every part of a Provider may be missing.
import { type Ms, parseGoDuration } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import type { Target, TlsSecret } from "../wire/wire.ts";

export interface Allowance {
  readonly rate: number;
  readonly burst: number;
  /** Calls at a time. */
  readonly calls: number;
  /** Of these: those that copy disks. They take hours, and others have to come through. */
  readonly longCalls: number;
}

/** Describe has its own limit: after a restart everything is described at once (L-14). */
export const describesAtATime = 4;

/** Where it is, or why nobody can ask it. */
export function targetOf(provider: Provider, tls?: TlsSecret): Target | { readonly trouble: SafeText } {
  const { namespace = "", name = "" } = provider.metadata ?? {};
  const endpoint = provider.status?.runtime?.endpoint ?? "";
  if (endpoint === "") return { trouble: text`Provider ${namespace}/${name} has no endpoint yet` };
  const block = provider.spec.runtime.service?.tls;
  const isPlain = block?.enabled === false;
  if (!isPlain && tls === undefined) {
    return { trouble: text`Provider ${namespace}/${name} has no TLS Secret to ask it with` };
  }
  const pool = provider.spec.connectionPooling;
  return {
    endpoint,
    serverName: `virtrigaud-provider-${namespace}-${name}.${namespace}.svc.cluster.local`,
    ...(!isPlain && tls !== undefined && { tls }),
    ...(!isPlain && block?.insecureSkipVerify === true && { insecureSkipVerify: true }),
    connectTimeout: lengthOf(pool?.connectionTimeout, 30_000),
    idleTimeout: lengthOf(pool?.idleTimeout, 300_000),
  };
}

export function allowanceOf({ spec }: Provider): Allowance {
  const calls = spec.connectionPooling?.maxConnections ?? 10;
  return {
    rate: spec.rateLimit?.qps ?? 10,
    burst: spec.rateLimit?.burst ?? 20,
    calls,
    longCalls: Math.max(1, Math.floor(calls / 2)),
  };
}

const lengthOf = (duration: string | undefined, standard: Ms): Ms =>
  (duration === undefined ? undefined : parseGoDuration(duration)) ?? standard;
