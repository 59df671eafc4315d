// Where an object of S3 is, and how a request without a body is signed (AWS Signature Version 4). Pure.
import { createHash, createHmac } from "node:crypto";
import type { Instant } from "@telltale/kinds";

export interface S3Object {
  /** Empty: Amazon's. `http://`: in clear text. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly usePathStyle: boolean;
}

export function placeOfObject({ endpoint, region, bucket, key, usePathStyle }: S3Object): URL {
  const given = endpoint === "" ? `s3.${region || standardRegion}.amazonaws.com` : endpoint;
  const base = new URL(/^[a-z]+:\/\//i.test(given) ? given : `https://${given}`);
  const path = key.split("/").map(escaped).join("/");
  return usePathStyle
    ? new URL(`${base.protocol}//${base.host}/${escaped(bucket)}/${path}`)
    : new URL(`${base.protocol}//${bucket}.${base.host}/${path}`);
}

const standardRegion = "us-east-1";
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const mac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As the signature wants it: all but letters, digits and -._~ */
const escaped = (piece: string): string =>
  encodeURIComponent(piece).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);

/** The headers of a request that has neither a query nor a body. */
export function signed(
  method: string,
  url: URL,
  region: string,
  credentials: Readonly<Record<string, string>>,
  now: Instant,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { accessKeyID = "", secretAccessKey = "", sessionToken = "" } = credentials;
  const time = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const where = region || standardRegion;
  const headers: Record<string, string> = {
    ...more,
    host: url.host,
    "x-amz-content-sha256": hash(""),
    "x-amz-date": time,
    ...(sessionToken !== "" && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${(headers[name] ?? "").trim()}\n`).join("");
  const request = [method, url.pathname, "", lines, names.join(";"), hash("")].join("\n");
  const scope = `${day}/${where}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, hash(request)].join("\n");
  const key = mac(mac(mac(mac(`AWS4${secretAccessKey}`, day), where), "s3"), "aws4_request");
  const signature = mac(key, toSign).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyID}/${scope},SignedHeaders=${names.join(";")},Signature=${signature}`;
  return { ...headers, authorization };
}
