// The endpoints beside an object that single kinds have: binding, eviction, token, and those that lead into pods.
import type { KeyObject } from "node:crypto";
import type { Random } from "@telltale/clock";
import { formatTime } from "@telltale/kinds";
import { coreObject } from "../authorize/stored.ts";
import { type TokenIssuer, tokenRequest } from "../authorize/token-request.ts";
import { decodeBody } from "../decode/body.ts";
import { decodeOptions } from "../decode/options.ts";
import { at, type JsonObject, stringify } from "../json.ts";
import { bindPod } from "../kinds/binding.ts";
import { evictionDecision, evictionNameError } from "../kinds/eviction.ts";
import type { PodAccess } from "../pods/access.ts";
import { nameOf, withMetadata } from "../registry/metadata.ts";
import { writeOptions } from "../registry/options.ts";
import { storageKey } from "../registry/resource.ts";
import type { ApiResponse } from "../request.ts";
import { methodNotAllowed, notFound, StatusError } from "../status.ts";
import { RevisionMismatch } from "../store/errors.ts";
import { connect, log } from "./connect.ts";
import { live } from "./object.ts";
import type { Routed, SubresourceRoute } from "./resources.ts";
import { respondObject } from "./respond.ts";
import { scale } from "./scale.ts";

const json = { mediaType: "application/json", pretty: false } as const;

export interface SubresourceEnv {
  readonly tokenKey: () => KeyObject;
  readonly random: Random;
  /** Who reaches what runs in pods. */
  readonly pods: PodAccess | undefined;
}

export function subresources(env: SubresourceEnv): SubresourceRoute {
  return async (it) => {
    const { info, r } = it;
    const known = r.subresources.find((s) => s.name === info.subresource);
    if (known === undefined) return undefined;
    if (!known.verbs.includes(info.verb)) throw methodNotAllowed();
    if (info.subresource === "scale" && r.scale !== undefined) return scale(it, r.scale);
    const place = `${r.group}/${r.resource}/${info.subresource}`;
    if (place === "/pods/binding") return binding(it);
    if (place === "/pods/eviction") return eviction(it);
    if (place === "/serviceaccounts/token") return token(env, it);
    const connection = { ...it, access: env.pods, random: env.random };
    if (place === "/pods/log") return log(connection);
    if (connects.has(info.subresource)) return connect(connection, known.kind);
    throw new StatusError(501, "NotImplemented", `${info.subresource} needs pods that run as processes`);
  };
}

/** What leads into a pod. */
const connects: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

async function binding(it: Routed): Promise<ApiResponse> {
  const { s, call, info, r, warnings } = it;
  const options = writeOptions(call.query, "create", call.request.headers["user-agent"]);
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "", version: "v1", kind: "Binding", builtin: true },
    fieldValidation: options.fieldValidation,
  });
  const key = storageKey(r, info.namespace, info.name);
  for (;;) {
    const record = s.store.get(key);
    if (record === undefined) throw notFound(r, info.name);
    const bound = bindPod(await r.read(record), object, formatTime(s.clock.now()));
    if ("error" in bound) throw bound.error;
    if (options.dryRun) break;
    try {
      await s.writer.put(r, key, record.revision, bound.pod);
      break;
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) throw error; // somebody was faster: look again
    }
  }
  return respondObject(201, created, json, warnings);
}

const created: JsonObject = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

async function eviction(it: Routed): Promise<ApiResponse> {
  const { s, call, info, r, warnings } = it;
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "policy", version: "v1", kind: "Eviction", builtin: true, alike: ["policy/v1beta1"] },
    fieldValidation: "Ignore",
  });
  const wrong = evictionNameError(object, info.name);
  if (wrong !== undefined) throw wrong;
  const pod = await live(it);
  const budgets = s.catalogue.find("policy", "v1", "poddisruptionbudgets");
  const all = budgets === undefined ? [] : s.store.scan(`/policy/poddisruptionbudgets/${info.namespace}/`).records;
  const decided = evictionDecision(
    pod,
    all.map((record) => record.object()),
    formatTime(s.clock.now()),
  );
  if (decided.do === "refuse") throw decided.error;
  const bytes = Buffer.from(stringify((at(object, "deleteOptions") as JsonObject | undefined) ?? {}));
  const deletion = await decodeOptions({ contentType: "application/json", bytes, query: call.query });
  if (decided.budget !== undefined && budgets !== undefined && !deletion.dryRun) {
    const key = storageKey(budgets, info.namespace, nameOf(decided.budget));
    const record = s.store.get(key);
    if (record !== undefined)
      await s.writer.put(budgets, key, record.revision, withMetadata(decided.budget, { resourceVersion: undefined }));
  }
  await s.deleter.object(call, r, info.namespace, info.name, deletion);
  return respondObject(201, created, json, warnings);
}

async function token(env: SubresourceEnv, it: Routed): Promise<ApiResponse> {
  const { call, warnings } = it;
  const account = await live(it);
  const { object } = await decodeBody({
    contentType: call.request.headers["content-type"],
    bytes: call.request.body,
    expect: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", builtin: true },
    fieldValidation: "Ignore",
  });
  return respondObject(201, tokenRequest(object, account, issuerOf(env, it)), json, warnings);
}

function issuerOf(env: SubresourceEnv, { s, call }: Routed): TokenIssuer {
  return {
    key: env.tokenKey(),
    clock: s.clock,
    random: env.random,
    manager: writeOptions(call.query, "create", call.request.headers["user-agent"]).fieldManager,
    find: (resource, namespace, name) => coreObject(s.store, resource, namespace, name),
  };
}
