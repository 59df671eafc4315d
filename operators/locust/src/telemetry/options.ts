// What the master was told on its command line and by its variables, as far as the operator has to know it. Values are read
// here and go nowhere else: a command line may hold credentials.
import { type FlagName, readFlags } from "./flags.ts";

export interface LocustOptions {
  readonly users?: number;
  /** Of the load; absent where it runs for ever, or nobody can say. */
  readonly runTimeSeconds?: number;
  /** No web API at all. */
  readonly headless: boolean;
  readonly webPort: number;
  /** Empty, or begins with a slash and does not end with one. */
  readonly basePath: string;
  readonly tls: boolean;
  /** The web API asks for a login. */
  readonly login: boolean;
  /** Where the web API listens; empty: on all interfaces. */
  readonly webHost: string;
}

/** A variable as a container has it. What comes from elsewhere than `value` cannot be known here. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** From the built arguments of the master and its literal variables. The command line beats variables. */
export function parseLocustArgs(args: readonly string[], env: readonly Variable[]): LocustOptions {
  const { values } = readFlags(args);
  const variable = (name: string): string | undefined => env.findLast((it) => it.name === name)?.value;
  const text = (flag: FlagName, name: string): string | undefined => known(values.get(flag)?.[0] ?? variable(name));
  const isSet = (flag: FlagName, name: string): boolean => values.has(flag) || isTrue(variable(name));

  const users = parseCount(text("--users", "LOCUST_USERS"), int32);
  const runTime = parseTimespan(text("--run-time", "LOCUST_RUN_TIME") ?? "");
  const isHeadful = isSet("--headful", "LOCUST_HEADFUL");
  return {
    ...(users !== undefined && { users }),
    // Locust takes zero for no limit.
    ...(runTime !== undefined && runTime > 0 && { runTimeSeconds: runTime }),
    headless: isSet("--headless", "LOCUST_HEADLESS") && !isHeadful,
    webPort: parseCount(text("--web-port", "LOCUST_WEB_PORT"), 65_535) || standardWebPort,
    basePath: parseBasePath(text("--web-base-path", "LOCUST_WEB_BASE_PATH")),
    tls: !!text("--tls-cert", "LOCUST_TLS_CERT") && !!text("--tls-key", "LOCUST_TLS_KEY"),
    login: isSet("--web-login", "LOCUST_WEB_LOGIN"),
    webHost: text("--web-host", "LOCUST_WEB_HOST") ?? "",
  };
}

/** `90`, `45s`, `3m`, `1h20m` in seconds; undefined for anything else. */
export function parseTimespan(span: string): number | undefined {
  const parts = /^(?:(\d+)|(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?)$/.exec(span);
  if (parts === null) return undefined;
  const [, plain, hours = 0, minutes = 0, seconds = 0] = parts;
  const total = plain === undefined ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) : Number(plain);
  return total <= int32 ? total : undefined;
}

const standardWebPort = 8089;
const int32 = 2 ** 31 - 1;

/** Kubernetes replaces `$(NAME)` by what the container has, which nobody knows here. */
const known = (text: string | undefined): string | undefined => (text?.includes("$(") === true ? undefined : text);

const isTrue = (text: string | undefined): boolean => /^(true|1|yes)$/i.test(text ?? "");

/** A whole number as Python's `int` reads it. */
function parseCount(text: string | undefined, most: number): number | undefined {
  if (text === undefined || !/^\s*\+?\d+(_\d+)*\s*$/.test(text)) return undefined;
  const count = Number(text.replaceAll("_", ""));
  return count <= most ? count : undefined;
}

/**
 * The path becomes part of a URL, and in one mode of a path on the API server: nothing that means something there is let
 * through, above all no `..` and nothing encoded.
 */
function parseBasePath(text = ""): string {
  const path = text.replace(/\/+$/, "");
  const isPlain = /^(\/[\w.~!$&'()*+,;=:@-]+)*$/.test(path);
  return isPlain && !path.split("/").some((part) => part === "." || part === "..") ? path : "";
}
