// What a provider needs to fetch an image that is not for everybody: read from Secrets beside the image, at the time of the call, and
// kept nowhere. Pure: whoever acts reads the Secrets.
import type { Secret } from "@telltale/kinds/builtin";
import { type SafeText, text } from "@telltale/status";
import type { VMImageSpec } from "../kinds/index.ts";

/** By the names of the contract: `username`, `password`, `token`, `tls.crt`, `tls.key`. */
export type Credentials = Readonly<Record<string, string>>;

export type CredentialsRead =
  | { readonly is: "complete"; readonly credentials: Credentials }
  | { readonly is: "incomplete"; readonly why: SafeText };

/** The Secrets that have them, by name. */
export function secretsOf({ source }: VMImageSpec): readonly string[] {
  const { basicAuth, bearer, clientCert } = source?.http?.authentication ?? {};
  const refs = [basicAuth, bearer, clientCert].map((it) => it?.secretRef.name);
  const named = [...refs, source?.registry?.pullSecretRef?.name].filter((name) => name !== undefined);
  return [...new Set(named)];
}

export function readCredentials(spec: VMImageSpec, secrets: ReadonlyMap<string, Secret | undefined>): CredentialsRead {
  const found: Record<string, string> = {};
  let why: SafeText | undefined;
  const take = (as: string, name: string, key: string) => {
    const secret = secrets.get(name);
    const value = secret?.data?.[key];
    if (secret === undefined) why ??= text`Secret ${name} not found`;
    else if (value === undefined || value === "") why ??= text`Secret ${name} has no key ${key}`;
    else found[as] = decoded(value);
  };
  const { basicAuth, bearer, clientCert } = spec.source.http?.authentication ?? {};
  if (basicAuth !== undefined) {
    take("username", basicAuth.secretRef.name, basicAuth.usernameKey ?? "username");
    take("password", basicAuth.secretRef.name, basicAuth.passwordKey ?? "password");
  }
  if (bearer !== undefined) take("token", bearer.secretRef.name, bearer.tokenKey ?? "token");
  if (clientCert !== undefined) {
    take("tls.crt", clientCert.secretRef.name, clientCert.certKey ?? "tls.crt");
    take("tls.key", clientCert.secretRef.name, clientCert.keyKey ?? "tls.key");
  }
  const { image = "", pullSecretRef } = spec.source.registry ?? {};
  if (pullSecretRef !== undefined) {
    const docker = dockerLogin(secrets.get(pullSecretRef.name), image);
    if (docker !== undefined) Object.assign(found, docker);
    else {
      take("username", pullSecretRef.name, "username");
      take("password", pullSecretRef.name, "password");
    }
  }
  return why === undefined ? { is: "complete", credentials: found } : { is: "incomplete", why };
}

const decoded = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

/** The log-in for an image's registry in a Secret as kubelets take it. */
function dockerLogin(secret: Secret | undefined, image: string): Credentials | undefined {
  const file = secret?.data?.[".dockerconfigjson"];
  if (file === undefined) return undefined;
  const [first = "", ...rest] = image.split("/");
  const host = rest.length > 0 && /[.]|^localhost$/.test(first) ? first : "index.docker.io";
  const auths = member(parsed(decoded(file)), "auths");
  const names = Object.keys(isRecord(auths) ? auths : {});
  const login = member(auths, names.find((name) => hostOf(name) === host) ?? "");
  const [user, ...password] = decoded(String(member(login, "auth") ?? "")).split(":");
  const username = member(login, "username") ?? user;
  const secretWord = member(login, "password") ?? password.join(":");
  if (typeof username !== "string" || typeof secretWord !== "string" || username === "") return undefined;
  return { username, password: secretWord };
}

const hostOf = (name: string): string => name.replace(/^https?:\/\//, "").split("/", 1)[0] ?? "";

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
