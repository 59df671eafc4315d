// Requests that lead into pods: their logs, commands in them, and their ports.
import type { Random } from "@telltale/clock";
import type { Pod } from "@telltale/kinds/builtin";
import type { Attributes } from "../admit/admission.ts";
import { queryBoolean } from "../decode/options.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ExecOptions, PodAccess } from "../pods/access.ts";
import { type Backend, podBackend, serviceBackends } from "../pods/backends.ts";
import { execProtocols, execution } from "../pods/channels.ts";
import { checkHasHost, containerOf, nothingRuns } from "../pods/container.ts";
import { podLog } from "../pods/log.ts";
import { forwarding, forwardProtocol } from "../pods/port-forward.ts";
import { behind, handOn, unreachable } from "../pods/proxy.ts";
import { nameOf } from "../registry/metadata.ts";
import type { ApiResponse } from "../request.ts";
import { badRequest, forbidden, StatusError } from "../status.ts";
import { live } from "./object.ts";
import type { Routed } from "./resources.ts";

/** A request that leads into pods, and who reaches them. */
export interface Connection extends Routed {
  readonly access: PodAccess | undefined;
  readonly random: Random;
}

export async function log(it: Connection): Promise<ApiResponse> {
  const { s, call, r, access } = it;
  const pod = await live(it);
  const signal = AbortSignal.any([call.request.signal, s.closing(r)]);
  return podLog(access, { pod, query: call.query, now: s.clock.now(), signal });
}

/** `exec`, `attach`, `portforward` and `proxy`. `kind` is that of their options. */
export async function connect(it: Connection, kind: string): Promise<ApiResponse> {
  const { r, info, access } = it;
  const isProxy = info.subresource === "proxy";
  const asked = isProxy ? behind(info.name, r) : undefined;
  const parent = await live(asked === undefined ? it : { ...it, info: { ...info, name: asked.name } });
  await admit(it, kind);
  if (r.resource === "pods") checkHasHost(parent);
  if (asked !== undefined && (r.resource === "pods" || r.resource === "services")) {
    if (access === undefined) throw unreachable("pods run nowhere that could be reached");
    const found = r.resource === "pods" ? podBackend(parent, asked) : chosen(it, parent, asked);
    const address = access.address(asPod(found.pod), found.port);
    if (address === undefined) throw unreachable(`nothing listens on port ${found.port} of pod ${nameOf(found.pod)}`);
    return handOn({ request: it.call.request, to: { scheme: asked.scheme, ...address } });
  }
  if (access === undefined || r.resource !== "pods") throw nothingRuns(info.subresource);
  return info.subresource === "portforward" ? forward(it, access, parent) : run(it, access, parent);
}

async function admit({ s, call, info, r }: Connection, kind: string): Promise<void> {
  const object: JsonObject = { kind, apiVersion: "v1" };
  for (const name of new Set(call.query.keys())) object[name] = connectOption(name, call.query.getAll(name));
  const attributes: Attributes = {
    operation: "CONNECT",
    resource: { ...r, kind },
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    object,
    oldObject: undefined,
    options: {},
    user: call.user,
    dryRun: false,
    warn: call.warn,
  };
  await s.admission.mutate(attributes);
  await s.admission.validate(attributes);
}

function connectOption(name: string, values: readonly string[]): Json {
  if (name === "command") return [...values];
  const [first = ""] = values;
  return first === "true" || first === "false" ? first === "true" : first;
}

/** A command in a container, or with none its main process. */
function run(it: Connection, access: PodAccess, pod: JsonObject): ApiResponse {
  const { s, call, info, r } = it;
  const isAttach = info.subresource === "attach";
  const flag = (name: string, usual = false) => queryBoolean(call.query, name) ?? usual;
  const tty = flag("tty");
  const command = call.query.getAll("command");
  const options: Omit<ExecOptions, "signal"> = {
    container: containerOf(pod, call.query.get("container") ?? ""),
    stdin: flag("stdin"),
    stdout: flag("stdout", isAttach),
    // A terminal has one output.
    stderr: flag("stderr", isAttach) && !tty,
    tty,
    ...(isAttach ? {} : { command }),
  };
  if (!isAttach && command.length === 0) throw badRequest("you must specify at least one command for the container");
  if (!options.stdin && !options.stdout && !options.stderr)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  const protocol = agreed(it, execProtocols);
  const start = (signal: AbortSignal) => access.exec(asPod(pod), { ...options, signal });
  return { status: 101, headers: {}, body: execution({ protocol, start, options, closing: s.closing(r) }) };
}

function forward(it: Connection, access: PodAccess, pod: JsonObject): ApiResponse {
  const { s, call, info, r } = it;
  const offered = call.request.headers["sec-websocket-protocol"] ?? "";
  if (/spdy/i.test(`${call.request.headers["upgrade"] ?? ""} ${offered}`)) {
    const there = `/api/v1/namespaces/${info.namespace}/pods/${info.name}:<port>/proxy/`;
    throw new StatusError(
      501,
      "NotImplemented",
      `kubectl forwards ports by SPDY, which is not served here; for HTTP use the proxy: kubectl get --raw ${there}`,
    );
  }
  const ports = call.query
    .getAll("ports")
    .flatMap((given) => given.split(","))
    .map(Number);
  if (ports.length === 0 || ports.some((port) => !Number.isInteger(port) || port < 1 || port > 65_535))
    throw badRequest('query parameter "ports" has to name one or more ports, from 1 to 65535');
  agreed(it, [forwardProtocol]);
  const address = (port: number) => access.address(asPod(pod), port);
  return { status: 101, headers: {}, body: forwarding({ ports, address, closing: s.closing(r) }) };
}

/** The protocol that both sides speak. Whoever opens a WebSocket changes something, though it is a GET. */
function agreed({ s, call, info }: Connection, served: readonly string[]): string {
  const { headers, upgrade } = call.request;
  if (upgrade !== "websocket") {
    const asked = headers["upgrade"] ?? "";
    throw badRequest(
      asked === ""
        ? "Upgrade request required"
        : `${asked} is not served, WebSocket is: use kubectl 1.31 or newer, or a client that speaks ${served.join(" or ")}`,
    );
  }
  const why = s.reviews.authorizer.refuse(call.user, { ...info, verb: "create" });
  if (why !== undefined) throw forbidden(info, info.name, why);
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const found = offered.find((name) => served.includes(name));
  if (found === undefined)
    throw badRequest(`none of the protocols [${offered.join(" ")}] is served; use ${served.join(" or ")}`);
  return found;
}

/** One of the pods behind a Service. */
function chosen({ s, info, random }: Connection, service: JsonObject, asked: ReturnType<typeof behind>): Backend {
  const name = nameOf(service);
  const slices = s.store
    .scan(`/discovery.k8s.io/endpointslices/${info.namespace}/`)
    .records.filter(({ labels }) => labels?.["kubernetes.io/service-name"] === name)
    .map((record) => record.object());
  const pods = (pod: string) => s.store.get(`//pods/${info.namespace}/${pod}`)?.object();
  const all = serviceBackends(service, asked, slices, pods);
  return all[Math.floor(random.next() * all.length)] ?? all[0];
}

/** What is stored under `pods` was validated as one. */
const asPod = (object: JsonObject): Pod => object as Pod;
