// The rules for probes and lifecycle hooks of containers.
import { type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import { nonNegative, oneOf, portNumber, portOrName, told } from "./checks.ts";
import { each, given, list, number } from "./edit.ts";

type Found = FieldError[];

export function probe(
  field: string,
  settings: JsonObject | undefined,
  kind: "liveness" | "readiness" | "startup",
  grace: number,
): Found {
  if (settings === undefined) return [];
  const found = handler(field, settings, grace);
  for (const name of ["initialDelaySeconds", "timeoutSeconds", "periodSeconds"])
    found.push(...nonNegative(`${field}.${name}`, settings[name]));
  const success = settings["successThreshold"];
  if (kind === "readiness") found.push(...nonNegative(`${field}.successThreshold`, success));
  found.push(...nonNegative(`${field}.failureThreshold`, settings["failureThreshold"]));
  const wait = number(settings, "terminationGracePeriodSeconds");
  if (kind === "readiness") {
    if (wait !== undefined)
      found.push(invalidField(`${field}.terminationGracePeriodSeconds`, wait, "must not be set for readinessProbes"));
    return found;
  }
  if (wait !== undefined && wait <= 0)
    found.push(invalidField(`${field}.terminationGracePeriodSeconds`, wait, "must be greater than 0"));
  if (success !== undefined && success !== 1)
    found.push(invalidField(`${field}.successThreshold`, success, "must be 1"));
  return found;
}

/** What is called: exactly one of the ways. */
export function handler(field: string, action: JsonObject, grace: number): Found {
  const found: Found = [];
  let count = 0;
  for (const name of ["exec", "httpGet", "tcpSocket", "grpc", "sleep"]) {
    const way = given(action, name);
    if (way === undefined) continue;
    count += 1;
    if (count > 1) found.push(forbiddenField(`${field}.${name}`, "may not specify more than 1 handler type"));
    else found.push(...ways[name as keyof typeof ways](`${field}.${name}`, way, grace));
  }
  if (count === 0) found.push(required(field, "must specify a handler type"));
  return found;
}

const ways = {
  exec: (field: string, way: JsonObject): Found =>
    list(way, "command").length === 0 ? [required(`${field}.command`)] : [],
  httpGet: (field: string, way: JsonObject): Found => {
    const found: Found = text(way["path"]) === "" ? [required(`${field}.path`)] : [];
    found.push(...portOrName(`${field}.port`, way["port"]));
    found.push(...oneOf(`${field}.scheme`, way["scheme"], ["HTTP", "HTTPS"]));
    for (const header of each(way, "httpHeaders")) {
      const name = text(header["name"]);
      found.push(
        ...told(
          `${field}.httpHeaders`,
          name,
          /^[-A-Za-z0-9]+$/.test(name)
            ? []
            : [
                "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
              ],
        ),
      );
    }
    return found;
  },
  tcpSocket: (field: string, way: JsonObject): Found => portOrName(`${field}.port`, way["port"]),
  grpc: (field: string, way: JsonObject): Found => portNumber(`${field}.port`, way["port"] ?? 0),
  sleep: (field: string, way: JsonObject, grace: number): Found => {
    const seconds = number(way, "seconds") ?? 0;
    return seconds < 0 || seconds > grace
      ? [invalidField(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)]
      : [];
  },
};
