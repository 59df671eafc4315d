// One POST to a webhook, over TLS with the webhook's own authority, and how a failure reads. What is said in the body is not
// this file's business: admission and conversion both call through here.
import type { Clock } from "@telltale/clock";
import type { Agent } from "undici";
import { parseJson } from "../decode/json.ts";
import { parseYaml, YamlError } from "../decode/yaml.ts";
import { at, isObject, type Json, type JsonObject, stringify, text } from "../json.ts";
import { goType } from "../patch/json-patch.ts";
import { goQuote } from "../status.ts";
import { networkFailure } from "./network-failure.ts";

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** A webhook in this process: gets the review, answers with one. */
export type LocalWebhook = (review: JsonObject) => Promise<JsonObject> | JsonObject;

/** Where a Service's webhook is, if that is known: at an address, or in this process. */
export type Resolver = (service: ServiceReference) => URL | LocalWebhook | undefined;

/** The webhook could not be asked; the message is the cause, in Go's words. */
export class CallFailed extends Error {}

/** Asks the webhook behind a `clientConfig` and gives its answer, parsed. Throws `CallFailed`. */
export type WebhookCall = (clientConfig: JsonObject, review: JsonObject, seconds: number) => Promise<Json>;

export interface WebhookCaller {
  readonly call: WebhookCall;
  /** Lets go of open connections. */
  close(): Promise<void>;
}

export function webhookCaller({
  clock,
  resolve,
}: {
  readonly clock: Clock;
  readonly resolve: Resolver;
}): WebhookCaller {
  const agents = new Map<string, Agent>();
  const agent = (undici: Undici, ca: string, servername: string): Agent => {
    const id = `${servername} ${ca}`;
    const known = agents.get(id);
    if (known !== undefined) return known;
    const made = new undici.Agent({
      connect: {
        timeout: 0, // the deadline of the call is the only one
        // each certificate of the bundle is trusted itself, also one that is no authority's: as Go's, and what envtest installs
        ...(ca === "" ? {} : { ca: Buffer.from(ca, "base64").toString("utf8"), allowPartialTrustChain: true }),
        ...(servername === "" ? {} : { servername }),
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    agents.set(id, made);
    return made;
  };

  const call: WebhookCall = async (clientConfig, review, seconds) => {
    const { shown, url, local, servername } = destination(clientConfig, seconds, resolve);
    const abort = new AbortController();
    const timer = clock.after(seconds * 1000, () => abort.abort());
    try {
      if (local !== undefined) return await inThisProcess(local, review, abort.signal);
      const undici = await import("undici"); // a fifth of the time to start, and most servers call no webhook
      const response = await undici.request(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, */*",
          ...(servername === "" ? {} : { host: servername }),
        },
        body: stringify(review),
        dispatcher: agent(undici, text(clientConfig["caBundle"]), servername),
        signal: abort.signal,
      });
      const body = await bodyOf(response.body);
      const type = response.headers["content-type"];
      return await answer(response.statusCode, String(type ?? ""), body);
    } catch (error) {
      if (error instanceof CallFailed) throw error;
      const why = abort.signal.aborted ? "context deadline exceeded" : networkFailure(error, url, servername);
      throw new CallFailed(`Post "${shown}": ${why}`);
    } finally {
      timer.cancel();
    }
  };
  return {
    call,
    close: async () => {
      const open = [...agents.values()];
      agents.clear();
      await Promise.all(open.map((one) => one.destroy()));
    },
  };
}

type Undici = typeof import("undici");

/** The same as over a socket: both sides see JSON, not each other's objects, and the deadline holds. */
function inThisProcess(webhook: LocalWebhook, review: JsonObject, signal: AbortSignal): Promise<Json> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(JSON.parse(stringify(review)) as JsonObject)
      .then(webhook)
      .then((answer) => resolve(parseJson(stringify(answer)).value), reject);
  });
}

interface Destination {
  /** The URL as messages show it. */
  readonly shown: string;
  readonly url: URL;
  /** Set where no address is needed. */
  readonly local?: LocalWebhook;
  /** Empty: the host of the URL. */
  readonly servername: string;
}

function destination(clientConfig: JsonObject, seconds: number, resolve: Resolver): Destination {
  const service = clientConfig["service"];
  if (!isObject(service)) {
    const given = text(clientConfig["url"]);
    const host = /^https:\/\/[^/]*/.exec(given)?.[0] ?? "";
    const shown = `${host}${cleaned(given.slice(host.length))}?timeout=${seconds}s`;
    if (!URL.canParse(shown)) throw new CallFailed(`parse ${goQuote(given)}: invalid URL`);
    return { shown, url: new URL(shown), servername: "" };
  }
  const [namespace, name] = [text(service["namespace"]), text(service["name"])];
  const port = typeof service["port"] === "number" ? service["port"] : 443;
  const path = cleaned(text(service["path"]));
  const servername = `${name}.${namespace}.svc`;
  const shown = `https://${servername}:${port}${path}?timeout=${seconds}s`;
  const resolved = resolve({ namespace, name, port, path });
  if (resolved === undefined) throw new CallFailed(`Post "${shown}": service ${goQuote(name)} not found`);
  if (typeof resolved === "function") return { shown, url: new URL(shown), local: resolved, servername };
  const url = new URL(resolved);
  if (url.pathname === "/") url.pathname = path;
  url.search = `?timeout=${seconds}s`;
  return { shown, url, servername };
}

/** A path without a slash at its end, or between two others. */
const cleaned = (path: string): string =>
  `/${path
    .split("/")
    .filter((part) => part !== "")
    .join("/")}`;

const maxAnswer = 64 * 2 ** 20;

async function bodyOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxAnswer) throw new CallFailed(`the answer is longer than ${maxAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answer(status: number, type: string, body: Buffer): Promise<Json> {
  if (status < 200 || status > 206) throw new CallFailed(await refusal(status, type, body));
  if (body.length === 0) {
    throw new CallFailed(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const value = await parsed(body);
  if (isObject(value) || value === null) return value;
  throw new CallFailed(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

/** An answer is JSON, or else YAML: `hello` is a string. */
async function parsed(body: Buffer): Promise<Json> {
  try {
    return parseJson(body).value;
  } catch (error) {
    try {
      return (await parseYaml(body, 1_000)).value;
    } catch (second) {
      if (!(second instanceof YamlError)) throw second;
      const why = error instanceof Error ? error.message : String(error);
      throw new CallFailed(`couldn't get version/kind; json parse error: ${why}`);
    }
  }
}

const refusals: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** What a status other than 2xx means: a Status in the body speaks for itself. */
async function refusal(status: number, type: string, body: Buffer): Promise<string> {
  const told = await parsed(body).catch(() => null);
  if (at(told, "kind") === "Status" && at(told, "status") === "Failure") return text(at(told, "message"));
  const said = type.startsWith("text/") ? body.toString("utf8").trim() : "unknown";
  if (status === 403) return said;
  const known = refusals[status];
  if (known !== undefined) return known;
  if (status >= 500) return `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
