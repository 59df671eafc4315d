// What is no resource: version, health, metrics, and the keys behind ServiceAccount tokens.
import { createPublicKey, type KeyObject } from "node:crypto";
import { issuer } from "../authenticate/service-account.ts";
import { stringify } from "../json.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { ApiResponse, Call } from "../request.ts";
import { methodNotAllowed } from "../status.ts";
import type { Store } from "../store/store.ts";
import type { Route } from "./handler.ts";
import { respond } from "./respond.ts";

export interface ServiceEnv {
  readonly version: string;
  readonly ready: () => boolean;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly tokenKey: () => KeyObject;
}

export function service(env: ServiceEnv): Route {
  return async (call, info) => {
    const path = info.path.replace(/\/+$/, "") || "/";
    const [, root = "", check = ""] = path.split("/");
    if (readOnly.has(path) && call.request.method !== "GET") throw methodNotAllowed();
    if (path === "/version") return respond(200, JSON.stringify(versionOf(env.version), null, 2), "application/json");
    if (root === "healthz" || root === "livez" || root === "readyz") return health(env, call, root, check);
    if (path === "/metrics") return respond(200, metrics(env), "text/plain; version=0.0.4");
    if (path === "/") return respond(200, stringify({ paths: paths(env.catalogue) }), "application/json");
    if (path === "/openid/v1/jwks")
      return respond(200, stringify({ keys: [key(env.tokenKey())] }), "application/jwk-set+json");
    if (path === "/.well-known/openid-configuration") return respond(200, stringify(openid()), "application/json");
    return undefined;
  };
}

/** Where another method is a refusal; the rest answers to all. */
const readOnly: ReadonlySet<string> = new Set(["/version", "/openid/v1/jwks", "/.well-known/openid-configuration"]);

const checks = ["ping", "storage"];

/** One check, or all of them but for those that `exclude` names. */
function health(env: ServiceEnv, call: Call, root: string, check: string): ApiResponse | undefined {
  if (check !== "" && !checks.includes(check)) return undefined;
  const asked = check === "" ? checks : [check];
  const excluded = check === "" ? call.query.getAll("exclude") : [];
  const unknown = excluded.filter((name) => !checks.includes(name)).map((name) => JSON.stringify(name));
  const lines = asked.map((name) => {
    if (excluded.includes(name)) return `[+]${name} excluded: ok`;
    const good = name !== "storage" || root === "livez" || env.ready();
    return good ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  if (unknown.length > 0)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.join(",")}`);
  const passed = !lines.some((line) => line.startsWith("[-]"));
  const told = [...lines, `${root} check ${passed ? "passed" : "failed"}`, ""].join("\n");
  const brief = passed && (check !== "" || !call.query.has("verbose"));
  return respond(passed ? 200 : 500, brief ? "ok" : told, "text/plain; charset=utf-8", {
    "x-content-type-options": "nosniff",
  });
}

function versionOf(gitVersion: string) {
  const [major = "1", minor = "36"] = gitVersion.replace(/^v/, "").split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "0000000000000000000000000000000000000000",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "go1.26.0",
    compiler: "gc",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

function paths(c: Catalogue): string[] {
  const groups = c.groups().filter((g) => g !== "");
  return [
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    ...groups.flatMap((g) => [`/apis/${g}`, ...c.versions(g).map((v) => `/apis/${g}/${v}`)]),
    ...["/healthz", "/livez", "/readyz"].flatMap((root) => [root, ...checks.map((name) => `${root}/${name}`)]),
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/version",
  ].sort();
}

function metrics({ store }: ServiceEnv): string {
  return [
    "# HELP telltale_apiserver_revision The revision of the last write.",
    "# TYPE telltale_apiserver_revision gauge",
    `telltale_apiserver_revision ${store.revision}`,
    "# HELP telltale_apiserver_compacted_revision The oldest revision that a watch can begin at.",
    "# TYPE telltale_apiserver_compacted_revision gauge",
    `telltale_apiserver_compacted_revision ${store.compacted}`,
    "",
  ].join("\n");
}

function key(signing: KeyObject) {
  const { kty, crv, x, y } = createPublicKey(signing).export({ format: "jwk" });
  return { use: "sig", kty: kty ?? "", kid: "telltale", crv: crv ?? "", alg: "ES256", x: x ?? "", y: y ?? "" };
}

const openid = () => ({
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
});
