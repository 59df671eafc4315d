// A hook's request: to an address of the host that was checked, and to no other (7.4). Redirects are not followed.
import { request as plain } from "node:http";
import { request as encrypted } from "node:https";
import { isIP } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Checked } from "./addresses.ts";
import type { HttpGet } from "./virtual-machine/hooks.ts";

/** Says to which addresses of a host a request may go. */
export type CheckHost = (host: string) => Promise<Checked>;

export function checkedGet(check: CheckHost, clock: Clock): HttpGet {
  return async (url, { timeout, signal }) => {
    // One deadline for all of it: a server that sends a byte now and then does not move it.
    const late = new AbortController();
    const timer = clock.after(timeout, () => late.abort(new Error(`no answer within ${timeout / 1_000} s`)));
    try {
      return await getStatus(new URL(url), check, AbortSignal.any([signal, late.signal]));
    } finally {
      timer.cancel();
    }
  };
}

async function getStatus(url: URL, check: CheckHost, signal: AbortSignal): Promise<number> {
  const { protocol, hostname, port, pathname, search } = url;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const checked = await orAborted(check(host), signal);
  if (checked.is !== "allowed") throw new Error(checked.why);
  const [address] = checked.addresses;
  const isEncrypted = protocol === "https:";
  const options = {
    host: address,
    port: port === "" ? (isEncrypted ? 443 : 80) : Number(port),
    path: `${pathname}${search}`,
    headers: { host: `${hostname}${port === "" ? "" : `:${port}`}`, "user-agent": "virtrigaud" },
    ...(isEncrypted && isIP(host) === 0 ? { servername: host } : {}),
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = (isEncrypted ? encrypted : plain)(options, (response) => {
    resolve(response.statusCode ?? 0);
    // Only the status counts. A body without an end would hold the connection.
    response.destroy();
  });
  request.on("error", reject);
  request.end();
  try {
    return await orAborted(promise, signal);
  } finally {
    request.destroy();
  }
}

/** Rejects with the signal's reason, also where the promise does not know the signal. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
