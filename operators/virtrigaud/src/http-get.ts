// A hook's request: to an address of the host that was checked, and to no other (7.4). Redirects are not followed.
import { request as plain } from "node:http";
import { request as encrypted } from "node:https";
import { isIP } from "node:net";
import { type AddressPolicy, checkHost, type Lookup } from "./addresses.ts";
import type { HttpGet } from "./virtual-machine/hooks.ts";

export function checkedGet(policy: AddressPolicy, lookup: Lookup): HttpGet {
  return async (url, { timeout, signal }) => {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const checked = await checkHost(host, policy, lookup);
    if (checked.is !== "allowed") throw new Error(checked.why);
    const [address] = checked.addresses;
    const isEncrypted = protocol === "https:";
    const options = {
      host: address,
      port: port === "" ? (isEncrypted ? 443 : 80) : Number(port),
      path: `${pathname}${search}`,
      headers: { host: `${hostname}${port === "" ? "" : `:${port}`}`, "user-agent": "virtrigaud" },
      timeout,
      signal,
      ...(isEncrypted && isIP(host) === 0 ? { servername: host } : {}),
    };
    return new Promise((resolve, reject) => {
      const sent = (isEncrypted ? encrypted : plain)(options, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on("timeout", () => sent.destroy(new Error(`no answer within ${timeout / 1_000} s`)));
      sent.on("error", reject);
      sent.end();
    });
  };
}
