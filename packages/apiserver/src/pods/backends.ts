// Which pod and which of its ports a proxied request goes to. Pure: what is stored is handed in.
import { at, type Json, type JsonObject, text } from "../json.ts";
import { each, given, number } from "../kinds/edit.ts";
import { nameOf } from "../registry/metadata.ts";
import { badRequest, StatusError } from "../status.ts";
import type { Behind } from "./proxy.ts";

/** A pod and a port of it. */
export interface Backend {
  readonly pod: JsonObject;
  readonly port: number;
}

/** The port of a pod that is meant: by number, by name, or its first. */
export function podBackend(pod: JsonObject, { port }: Behind): Backend {
  const ports = each(given(pod, "spec"), "containers").flatMap((it) => each(it, "ports"));
  const named = ports.find((it) => port === "" || it["name"] === port);
  const found = /^\d+$/.test(port) ? Number(port) : number(named, "containerPort");
  if (found === undefined) {
    throw badRequest(
      port === ""
        ? `pod ${nameOf(pod)} names no port; ask for one: ${nameOf(pod)}:<port>`
        : `pod ${nameOf(pod)} has no port of the name ${port}`,
    );
  }
  return { pod, port: found };
}

/** All pods that a Service leads to by that port, those that are ready. Throws 503 where there are none. */
export function serviceBackends(
  service: JsonObject,
  { port }: Behind,
  slices: readonly JsonObject[],
  pods: (name: string) => JsonObject | undefined,
): readonly [Backend, ...Backend[]] {
  const name = portName(service, port);
  const found = slices.flatMap((slice) => {
    const target = each(slice, "ports").find((it) => text(it["name"]) === name);
    const number = target?.["port"];
    if (typeof number !== "number") return [];
    return each(slice, "endpoints").flatMap((endpoint) => {
      if (at(endpoint, "conditions", "ready") === false) return [];
      const pod = podOf(endpoint["targetRef"], pods);
      return pod === undefined ? [] : [{ pod, port: number }];
    });
  });
  const [first, ...others] = found;
  if (first === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(nameOf(service))}`);
  return [first, ...others];
}

/** Slices know ports by name; a request may know one by number. */
function portName(service: JsonObject, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  const found = each(given(service, "spec"), "ports").find((it) => it["port"] === Number(port));
  if (found === undefined)
    throw unavailable(`no service port ${port} found for service ${JSON.stringify(nameOf(service))}`);
  return text(found["name"]);
}

function podOf(target: Json | undefined, pods: (name: string) => JsonObject | undefined): JsonObject | undefined {
  if (at(target, "kind") !== "Pod") return undefined;
  const pod = pods(text(at(target, "name")));
  const uid = text(at(target, "uid"));
  return uid === "" || text(at(pod, "metadata", "uid")) === uid ? pod : undefined;
}

const unavailable = (why: string): StatusError => new StatusError(503, "ServiceUnavailable", why);
