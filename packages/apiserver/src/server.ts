// The server: every stage put together, in memory or on disk, behind a socket or in this process only.
import type { Issued } from "@telltale/certificates";
import { type Clock, type Random, systemClock, systemRandom, turn } from "@telltale/clock";
import type { Admission } from "./admit/admission.ts";
import { builtinAdmission, chain } from "./admit/chain.ts";
import { webhookConversion } from "./admit/conversion.ts";
import { policyAdmission } from "./admit/policies.ts";
import { Quotas } from "./admit/quota.ts";
import { type Resolver, webhookCaller } from "./admit/webhook-call.ts";
import { webhookAdmission } from "./admit/webhooks.ts";
import { type AuthenticatorOptions, authenticator } from "./authenticate/authenticate.ts";
import { type Authority, authority } from "./authenticate/certificates.ts";
import { kubeconfig } from "./authenticate/kubeconfig.ts";
import { alwaysAllow, createCheck, rbacAuthorizer } from "./authorize/authorizer.ts";
import { escalationCheck } from "./authorize/escalation.ts";
import { accessCheck, coreObject, remembered } from "./authorize/stored.ts";
import { loadCel } from "./cel/parse.ts";
import { startGarbageCollector } from "./collect/garbage.ts";
import { startNamespaceController } from "./collect/namespaces.ts";
import { startProtectionController } from "./collect/protection.ts";
import { loadYaml } from "./decode/yaml.ts";
import { type FaultRule, Faults } from "./faults/faults.ts";
import { faultsRoute } from "./faults/route.ts";
import { at, isObject } from "./json.ts";
import { bootstrapObjects } from "./kinds/bootstrap.ts";
import { openapiRoute } from "./openapi/route.ts";
import type { PodSecuritySettings } from "./pod-security/settings.ts";
import type { PodAccess } from "./pods/access.ts";
import { builtins, takenNames } from "./registry/builtins.ts";
import type { Catalogue } from "./registry/catalogue.ts";
import { Definitions, definitionDeletion } from "./registry/definitions.ts";
import { Deleter, namespaceDeletion } from "./registry/delete.ts";
import { namespaceCheck } from "./registry/lifecycle.ts";
import { withMetadata } from "./registry/metadata.ts";
import { populate } from "./registry/populate.ts";
import { type Resource, storageKey } from "./registry/resource.ts";
import { type Backing, Writer } from "./registry/write.ts";
import type { ApiRequest, ApiResponse, User } from "./request.ts";
import { discovery } from "./route/discovery.ts";
import { type AuditEvent, handler } from "./route/handler.ts";
import type { RequestInfo } from "./route/info.ts";
import { type ResourceStages, resources } from "./route/resources.ts";
import { service } from "./route/service.ts";
import { subresources } from "./route/subresources.ts";
import type { DiskFaults } from "./store/disk.ts";
import { expire } from "./store/expiry.ts";
import { openStore, type Storage } from "./store/open.ts";
import type { Store, StoreSnapshot } from "./store/store.ts";
import { type InProcessClient, inProcess } from "./transport/in-process.ts";
import { type Listener, listen } from "./transport/listener.ts";

export interface ServerOptions {
  /** What `/version` says. */
  readonly version?: string;
  /** Sockets: none, or a loopback address. Default: HTTPS on a free port of 127.0.0.1. */
  readonly listen?: false | { readonly host?: "127.0.0.1" | "::1"; readonly port?: number; readonly tls?: boolean };
  readonly storage?: Storage;
  /** Users by token, beside the administrator. */
  readonly tokens?: Readonly<Record<string, User>>;
  readonly anonymous?: boolean;
  readonly authorization?: "rbac" | "always-allow";
  /** `core`: garbage collection, the end of namespaces, claims that nothing uses. `none`: nothing, as envtest. */
  readonly controllers?: "none" | "core";
  /** Whether pods get their namespace's ServiceAccount and its token, and cannot be made without one. */
  readonly serviceAccounts?: boolean;
  readonly clock?: Clock;
  /** Levels of PodSecurity where namespaces say nothing, and who is exempt. By default all pods are let in there. */
  readonly podSecurity?: PodSecuritySettings;
  /** Hears what is noted of requests for their audit: what PodSecurity decided, and what a level to audit does not allow. */
  readonly audit?: (event: AuditEvent) => void;
  readonly random?: Random;
  readonly history?: { readonly maxEvents?: number; readonly maxAgeMs?: number };
  readonly bookmarkIntervalMs?: number;
  readonly watchTimeoutRangeMs?: readonly [number, number];
  readonly maxRequestBodyBytes?: number;
  /** How long a client may take to send a request, and to read an answer that is no stream: 60 s. */
  readonly requestTimeoutMs?: number;
  /** Definitions and objects that are there before the server is ready. */
  readonly objects?: readonly object[];
  readonly faults?: readonly FaultRule[];
  /** What the disk does wrong, asked at each write and sync. */
  readonly diskFaults?: DiskFaults;
  /** Where a webhook's Service is: an address, or a function in this process. Admission and conversion both ask. */
  readonly webhookResolver?: Resolver;
  /** How to reach what runs in pods: logs, exec, attach, port-forward, proxy. Without it logs are empty and the rest is refused. */
  readonly pods?: PodAccess;
  readonly log?: (line: string) => void;
}

export interface ApiServer {
  /** Undefined without a socket. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  ca(): string;
  /** The same handlers without a socket. */
  readonly client: InProcessClient;
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly catalogue: Catalogue;
  kubeconfig(user?: { readonly name: string; readonly groups: readonly string[] }): string;
  /** Everything older than a revision is forgotten. */
  compact(revision?: number): void;
  /** Everything as it is now, to come back to: cheap, in memory only. */
  snapshot(): StoreSnapshot;
  restore(snapshot: StoreSnapshot): void;
  /** Stops where it is, as a crash would: nothing is flushed. */
  crash(): Promise<void>;
  /** Resolves when the server has nothing left to do by itself. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const eventsLast = 3_600_000;

export async function startApiServer(options: ServerOptions = {}): Promise<ApiServer> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const log = options.log ?? (() => {});
  const storage = options.storage ?? { kind: "memory" };
  // Somebody else's time must not run on while something is read from the disk.
  if (options.clock !== undefined) await Promise.all([loadYaml(), loadCel()]);
  const store = await openStore({
    clock,
    storage,
    log,
    ...(options.history === undefined ? {} : { history: options.history }),
    ...(options.diskFaults === undefined ? {} : { faults: options.diskFaults }),
  });
  let made: Authority | undefined;
  const pki = () => (made ??= authority(clock, random, storage.kind === "disk" ? storage.dir : undefined));

  const catalogue = builtins(store);
  const faults = new Faults(clock, random, {
    revision: () => store.revision,
    revisionBefore: (ms) => store.revisionBefore(ms),
    touch: (info) => touch(store, catalogue, info),
  });
  for (const rule of options.faults ?? []) faults.add(rule);
  const tokens = new Map(Object.entries(options.tokens ?? {}));
  const who: AuthenticatorOptions = {
    clock,
    tokens,
    tokenKey: () => pki().tokenKey,
    anonymous: options.anonymous ?? false,
    find: (resource, namespace, name) => coreObject(store, resource, namespace, name),
  };
  const authorizer =
    options.authorization === "always-allow"
      ? alwaysAllow
      : rbacAuthorizer(remembered(store, "rbac.authorization.k8s.io"));
  const resolve = options.webhookResolver ?? (() => undefined);
  const authorize = (user: User) => accessCheck(authorizer, user);
  const hooks = webhookAdmission({ store, catalogue, clock, random, resolve, authorize });
  const caller = webhookCaller({ clock, resolve });
  const admit: Admission = chain(
    builtinAdmission({
      store,
      clock,
      random,
      serviceAccounts: options.serviceAccounts ?? false,
      podSecurity: options.podSecurity ?? {},
    }),
    policyAdmission({ store, catalogue, authorize }),
    hooks,
  );
  const backing: Backing = {
    store,
    clock,
    random,
    admission: admit,
    quotas: new Quotas({ store, clock }),
    checkNamespace: namespaceCheck(store),
    checkCreate: createCheck(authorizer),
    checkEscalation: escalationCheck(authorizer),
  };
  const writer = new Writer(backing);
  const special = (r: Resource) =>
    r.group === "" && r.resource === "namespaces"
      ? namespaceDeletion
      : r.resource === "customresourcedefinitions"
        ? definitionDeletion(clock)
        : undefined;
  const deleter = new Deleter(backing, writer, special);
  const definitions = new Definitions({
    store,
    clock,
    catalogue,
    builtinNames: (group) => takenNames(catalogue, group),
    convert: (crd, objects, apiVersion) => {
      const config = at(crd, "spec", "conversion", "webhook", "clientConfig");
      return webhookConversion({ call: caller.call, random }, isObject(config) ? config : {})(objects, apiVersion);
    },
    deleteAll: (r, goesOn) => deleter.everything(r, goesOn),
    log,
  });
  definitions.start();

  let listener: Listener | undefined;
  let ready = false;
  const stopping = new AbortController();
  const identity = authenticator(who);
  const stages: ResourceStages = {
    ...backing,
    catalogue,
    writer,
    deleter,
    watching: {
      bookmarkEvery: options.bookmarkIntervalMs ?? 60_000,
      timeout: options.watchTimeoutRangeMs ?? [1_800_000, 3_600_000],
    },
    closing: (r: Resource) => (r.builtin ? stopping.signal : definitions.closing(r)),
    subresource: subresources({ tokenKey: () => pki().tokenKey, random, pods: options.pods }),
    reviews: { authorizer, authenticator: identity },
  };
  const host = options.listen !== false && options.listen?.host === "::1" ? "[::1]" : "127.0.0.1";
  const handle = handler({
    clock,
    random,
    authenticator: identity,
    authorizer,
    faults,
    log,
    audit: options.audit,
    routes: [
      resources(stages),
      discovery(catalogue, () => `${host}:${listener?.port ?? 443}`),
      openapiRoute(catalogue),
      faultsRoute(faults),
      service({
        version: options.version ?? "v1.36.0+embedded",
        ready: () => ready && store.failure === undefined,
        store,
        catalogue,
        tokenKey: () => pki().tokenKey,
      }),
    ],
  });
  const client = inProcess(handle);
  const close = async () => {
    definitions.stop();
    await listener?.close();
    await hooks.close();
    await caller.close();
    await store.close();
  };

  try {
    if (options.listen !== false) listener = await openListener(options, handle, pki);
    const first = bootstrapObjects(listener?.port ?? 443);
    await populate(client, store, [...first, ...(options.objects ?? [])], catalogue);
  } catch (error) {
    listener?.cut();
    await close(); // whoever tries again finds the folder and the port free
    throw error;
  }
  const controllers =
    options.controllers === "none"
      ? []
      : [startGarbageCollector, startNamespaceController, startProtectionController].map((start) =>
          start({ store, catalogue, client, clock, log }),
        );
  const stopExpiry = expire(store, clock, "//events/", eventsLast);
  ready = true;

  const scheme = options.listen !== false && options.listen?.tls === false ? "http" : "https";
  const url = listener === undefined ? undefined : `${scheme}://${host}:${listener.port}`;
  return {
    url,
    port: listener?.port,
    ca: () => pki().ca,
    client,
    store,
    clock,
    faults,
    catalogue,
    kubeconfig(user = { name: "admin", groups: ["system:masters"] }) {
      const certificate: Issued = pki().client(user.name, user.groups);
      return kubeconfig({
        server: url ?? "https://127.0.0.1",
        ca: scheme === "http" ? undefined : pki().ca,
        user: user.name,
        certificate,
      });
    },
    compact: (revision) => store.compact(revision),
    snapshot: () => store.snapshot(),
    restore(snapshot) {
      store.restore(snapshot);
      definitions.stop();
      definitions.start();
    },
    async crash() {
      stopping.abort();
      listener?.cut();
      await store.abandon();
      await listener?.close();
    },
    async settle() {
      for (let before = -1; before !== store.revision; ) {
        before = store.revision;
        await turn();
        for (const controller of controllers) await controller.idle(); // one may wake the other
        await turn();
      }
    },
    async stop() {
      ready = false;
      for (const controller of controllers) controller.stop();
      stopExpiry();
      stopping.abort();
      const patience = clock.after(5_000, () => listener?.cut());
      await close();
      patience.cancel();
    },
  };
}

/** Writes the object that a request is about once more, as it is. */
function touch(store: Store, catalogue: Catalogue, info: RequestInfo): void {
  const r = info.isResource ? catalogue.find(info.group, info.version, info.resource) : undefined;
  const record = r === undefined || !info.isResource ? undefined : store.get(storageKey(r, info.namespace, info.name));
  if (record !== undefined)
    store.commit(record.key, { object: withMetadata(record.object(), { resourceVersion: undefined }) });
}

async function openListener(
  options: ServerOptions,
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  pki: () => Authority,
): Promise<Listener> {
  const { host = "127.0.0.1", port = 0, tls = true } = options.listen === false ? {} : (options.listen ?? {});
  return listen({
    host,
    port,
    tls: tls ? { ...pki().server, ca: pki().ca } : undefined,
    maxBody: options.maxRequestBodyBytes ?? 3 * 1024 * 1024,
    patienceMs: options.requestTimeoutMs ?? 60_000,
    clock: options.clock ?? systemClock,
    handle,
  });
}
