// What a migration touches beside providers and the API server: staged objects in S3, and ports of the new machine. Every connection
// goes to an address that was checked (7.4).
import { request as plain } from "node:http";
import { request as encrypted } from "node:https";
import { connect, isIP } from "node:net";
import type { Instant } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { type AddressPolicy, checkHost, type Lookup } from "../addresses.ts";
import { redact } from "../redact.ts";
import { placeOfObject, type S3Object, signed } from "./s3.ts";

/** Whether a staged object is there. */
export type Proof =
  | { readonly is: "there"; readonly size: number }
  | { readonly is: "missing" }
  | { readonly is: "unknown"; readonly why: SafeText };

export type Credentials = Readonly<Record<string, string>>;

export interface Outside {
  head(object: S3Object, credentials: Credentials, now: Instant): Promise<Proof>;
  /** Resolves with why it could not be removed. One that is not there is fine. */
  remove(object: S3Object, credentials: Credentials, now: Instant): Promise<SafeText | undefined>;
  /** Whether something listens at one of the ports. */
  knock(address: string, ports: readonly number[]): Promise<boolean>;
}

const patience = 10_000;

export function systemOutside(policy: AddressPolicy, lookup: Lookup): Outside {
  const send = async (method: "HEAD" | "DELETE", object: S3Object, credentials: Credentials, now: Instant) => {
    const url = placeOfObject(object);
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const checked = await checkHost(host, policy, lookup);
    if (checked.is !== "allowed") return { status: 0, size: 0, why: checked.why };
    const [address] = checked.addresses;
    const isEncrypted = url.protocol === "https:";
    const options = {
      method,
      host: address,
      port: url.port === "" ? (isEncrypted ? 443 : 80) : Number(url.port),
      path: url.pathname,
      headers: signed(method, url, object.region, credentials, now),
      timeout: patience,
      ...(isEncrypted && isIP(host) === 0 ? { servername: host } : {}),
    };
    return new Promise<{ readonly status: number; readonly size: number; readonly why: SafeText }>((resolve) => {
      const sent = (isEncrypted ? encrypted : plain)(options, (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        const size = Number(answer.headers["content-length"] ?? 0);
        resolve({ status, size, why: text`the storage answered ${status}` });
      });
      sent.on("timeout", () => sent.destroy(new Error(`no answer within ${patience / 1_000} s`)));
      sent.on("error", (error) => resolve({ status: 0, size: 0, why: redact(error) }));
      sent.end();
    });
  };
  return {
    async head(object, credentials, now) {
      const { status, size, why } = await send("HEAD", object, credentials, now);
      if (status === 200) return { is: "there", size };
      return status === 404 ? { is: "missing" } : { is: "unknown", why };
    },
    async remove(object, credentials, now) {
      const { status, why } = await send("DELETE", object, credentials, now);
      return [200, 202, 204, 404].includes(status) ? undefined : why;
    },
    async knock(address, ports) {
      const checked = await checkHost(address, policy, lookup);
      if (checked.is !== "allowed") return false;
      const [to] = checked.addresses;
      const answers = await Promise.all(ports.map((port) => listens(to, port)));
      return answers.includes(true);
    },
  };
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patience });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", () => end(true));
    socket.on("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}
