// How a webhook is called: a URL or a Service, and what is wrong with it.
import { type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, required } from "../status.ts";
import { subdomainProblems } from "./checks.ts";
import { given, number } from "./edit.ts";

type Found = FieldError[];

const format = "; desired format: https://host[/path]";

export function clientConfig(field: string, config: JsonObject): Found {
  const service = given(config, "service");
  const url = config["url"];
  if ((url === undefined) === (service === undefined))
    return [required(field, "exactly one of url or service is required")];
  return service === undefined ? webhookUrl(`${field}.url`, text(url)) : webhookService(`${field}.service`, service);
}

function webhookUrl(field: string, url: string): Found {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(url)?.[0];
  if (bad !== undefined) {
    const why = `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URL escape ${JSON.stringify(bad)}${format}`;
    return [required(field, why)];
  }
  const [, scheme = "", authority = "", , query = "", fragment = ""] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  const found: Found = [];
  if (scheme !== "https") found.push(invalidField(field, scheme, `'https' is the only allowed URL scheme${format}`));
  if (authority.slice(at + 1) === "") found.push(invalidField(field, "", `host must be specified${format}`));
  if (at >= 0) found.push(invalidField(field, authority.slice(0, at), "user information is not permitted in the URL"));
  if (fragment !== "") found.push(invalidField(field, fragment, "fragments are not permitted in the URL"));
  if (query !== "") found.push(invalidField(field, query, "query parameters are not permitted in the URL"));
  return found;
}

function webhookService(field: string, service: JsonObject): Found {
  const found: Found = ["name", "namespace"]
    .filter((name) => text(service[name]) === "")
    .map((name) => required(`${field}.${name}`));
  const port = number(service, "port") ?? 443;
  if (port < 1 || port > 65_535)
    found.push(invalidField(`${field}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  return typeof service["path"] === "string" ? [...found, ...servicePath(`${field}.path`, service["path"])] : found;
}

function servicePath(field: string, path: string): Found {
  if (path === "/") return [];
  const found: Found = path.startsWith("/") ? [] : [invalidField(field, path, "must start with a '/'")];
  const trimmed = path.endsWith("/") ? path.slice(1, -1) : path.slice(1);
  for (const [i, segment] of trimmed.split("/").entries()) {
    if (segment === "") found.push(invalidField(field, path, `segment[${i}] may not be empty`));
    else
      found.push(
        ...subdomainProblems(segment).map((problem) => invalidField(field, path, `segment[${i}]: ${problem}`)),
      );
  }
  return found;
}
