// The admission and conversion webhook of a case: HTTPS on loopback, one path for each behaviour.
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { type Authority, authority } from "../../src/authenticate/certificates.ts";
import { at, isObject, type Json, type JsonObject, text } from "../../src/json.ts";
import type { Behaviour } from "./case.ts";

export interface Webhook {
  readonly url: string;
  /** The bundle for `caBundle`. */
  readonly ca: string;
  /** What has come in since the last time, by path. */
  take(): JsonObject[];
  behave(name: string, as: Behaviour): void;
  close(): void;
}

export async function startWebhook(given: Readonly<Record<string, Behaviour>>): Promise<Webhook> {
  const behaviours = new Map(Object.entries(given));
  let taken: JsonObject[] = [];
  const pki = certificates();
  const server = createServer({ cert: pki.server.cert, key: pki.server.key }, async (request, response) => {
    const review = await readReview(request);
    const { pathname, search } = new URL(request.url ?? "/", "https://webhook");
    const { "content-type": contentType, accept } = request.headers;
    taken.push({
      path: pathname,
      query: search,
      method: request.method ?? "",
      ...(contentType === undefined ? {} : { contentType }),
      ...(accept === undefined ? {} : { accept }),
      review,
    });
    const behaviour = behaviours.get(pathname.slice(1));
    if (behaviour === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("no such behaviour\n");
      return;
    }
    if (behaviour.delay_ms !== undefined) await sleep(systemClock, behaviour.delay_ms as Ms);
    response.writeHead(behaviour.status ?? 200, { "content-type": "application/json" });
    response.end(behaviour.text ?? JSON.stringify(answer(review, behaviour)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: Buffer.from(pki.ca).toString("base64"),
    take() {
      const all = taken.sort((a, b) => (text(a["path"]) < text(b["path"]) ? -1 : a["path"] === b["path"] ? 0 : 1));
      taken = [];
      return all;
    },
    behave: (name, as) => behaviours.set(name, as),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

let made: Authority | undefined;
const certificates = (): Authority => {
  made ??= authority(systemClock, systemRandom);
  return made;
};

async function readReview(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as JsonObject;
  } catch {
    return {};
  }
}

const answer = (review: JsonObject, behaviour: Behaviour): JsonObject =>
  behaviour.convert === undefined ? admit(review, behaviour) : convert(review, behaviour.convert);

function admit(review: JsonObject, b: Behaviour): JsonObject {
  const response: JsonObject = { uid: at(review, "request", "uid") ?? null, allowed: true, ...(b.response ?? {}) };
  if (Array.isArray(response["patch"])) {
    const labels = at(review, "request", "object", "metadata", "labels");
    if (b.unless_label !== undefined && at(labels, b.unless_label) !== undefined) delete response["patch"];
    else {
      response["patch"] = Buffer.from(JSON.stringify(response["patch"])).toString("base64");
      response["patchType"] ??= "JSONPatch";
    }
  }
  for (const name of b.omit ?? []) delete response[name];
  return {
    kind: b.kind ?? review["kind"] ?? null,
    apiVersion: b.apiVersion ?? review["apiVersion"] ?? null,
    ...(b.response === null ? {} : { response }),
  };
}

function convert(review: JsonObject, mode: NonNullable<Behaviour["convert"]>): JsonObject {
  const wanted = text(at(review, "request", "desiredAPIVersion"));
  const given = at(review, "request", "objects");
  const objects = Array.isArray(given) ? given.filter(isObject) : [];
  const converted: Json[] = objects.map((object) => spoil(inVersion(object, wanted), object, mode, wanted));
  const uid = mode === "uid" ? "other" : (at(review, "request", "uid") ?? null);
  const result = mode === "fail" ? { status: "Failure", message: "cannot convert this" } : { status: "Success" };
  const convertedObjects = mode === "drop" ? converted.slice(1) : converted;
  return {
    kind: review["kind"] ?? null,
    apiVersion: review["apiVersion"] ?? null,
    response: { uid, result, ...(mode === "fail" ? {} : { convertedObjects }) },
  };
}

/** v1 has `spec.size`, later versions have `spec.sizes.w`. */
function inVersion(object: JsonObject, apiVersion: string): JsonObject {
  const old = apiVersion.endsWith("/v1");
  const spec = object["spec"];
  if (!isObject(spec)) return { ...object, apiVersion };
  const { size, sizes, ...rest } = spec;
  if (!old && size !== undefined) return { ...object, apiVersion, spec: { ...rest, sizes: { w: size } } };
  const width = at(sizes, "w");
  if (old && sizes !== undefined) {
    return { ...object, apiVersion, spec: { ...rest, ...(width === undefined ? {} : { size: width }) } };
  }
  return { ...object, apiVersion };
}

/** What a bad webhook does to metadata. */
function spoil(object: JsonObject, before: JsonObject, mode: string, apiVersion: string): JsonObject {
  const metadata = object["metadata"];
  if (!isObject(metadata)) return object;
  const labels = metadata["labels"];
  switch (mode) {
    case "rename":
      return { ...object, metadata: { ...metadata, name: `${text(metadata["name"])}-x` } };
    case "labels": {
      const converted = apiVersion.split("/")[1] ?? "";
      return { ...object, metadata: { ...metadata, labels: { ...(isObject(labels) ? labels : {}), converted } } };
    }
    case "metadata": {
      const changed = { finalizers: ["x.io/added"], generation: 99, creationTimestamp: "2001-01-01T00:00:00Z" };
      return { ...object, metadata: { ...metadata, ...changed } };
    }
    case "same":
      return { ...object, apiVersion: before["apiVersion"] ?? "" };
    default:
      return object;
  }
}
