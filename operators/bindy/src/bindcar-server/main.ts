// Bindcar as a program: the sidecar of a pod with named, or beside a named anywhere.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "@telltale/clock";
import { pinoLog } from "@telltale/runtime";
import { bindcarVersion } from "../bindcar/contract.ts";
import { bindcarConfig } from "./config.ts";
import { startBindcar } from "./server.ts";

const help = `bindcar ${bindcarVersion}: an HTTP API for the named beside it

It drives named by rndc and nsupdate, which have to be in PATH, as dig. Everything is said by the environment.

  --help                      print this
  --version                   print the version
  --check                     only say what is wrong with the environment
  --i-know-this-is-insecure   listen without authentication where others can reach it

  Listen     BIND_API_ADDRESS (0.0.0.0)  API_PORT (8080)  BIND_ENABLE_DOCS (false)  LOG_LEVEL (info)
  Zones      BIND_ZONE_DIR (/var/cache/bind)
  rndc       RNDC_SERVER (127.0.0.1:9530)  RNDC_KEY_FILE, or RNDC_KEY_NAME (rndc-key) RNDC_ALGORITHM (hmac-sha256) RNDC_SECRET
  nsupdate   NSUPDATE_SERVER (127.0.0.1)  NSUPDATE_PORT (53)  NSUPDATE_TCP (false)
             NSUPDATE_KEY_NAME  NSUPDATE_ALGORITHM  NSUPDATE_SECRET: as with rndc where they are not set
  Who may    BIND_API_TOKEN: one shared secret. Without it tokens of service accounts:
             BIND_TOKEN_AUDIENCES (bindcar)  BIND_ALLOWED_SERVICE_ACCOUNTS  BIND_ALLOWED_NAMESPACES
             BIND_ALLOW_ANY_SERVICEACCOUNT (false)  KUBE_API_SERVER  KUBE_TOKEN_PATH  KUBE_CA_CERT_PATH
             DISABLE_AUTH (false)  BINDCAR_ALLOW_INSECURE_AUTH (false)
  How often  RATE_LIMIT_ENABLED (true)  RATE_LIMIT_REQUESTS (100)  RATE_LIMIT_PERIOD_SECS (60)  RATE_LIMIT_BURST (10)`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const flags = flagsOf(args);
  if (typeof flags === "string") return said(`${flags}; bindcar --help says what there is`);
  if (flags.help === true || flags.version === true) {
    console.log(flags.help === true ? help : bindcarVersion);
    return 0;
  }
  const read = bindcarConfig({ env: process.env, read: fileAt, insecure: flags["i-know-this-is-insecure"] === true });
  if (!read.ok) return said(...read.errors);
  if (flags.check === true) return 0;
  return serve(read.config);
}

async function serve(config: Extract<ReturnType<typeof bindcarConfig>, { ok: true }>["config"]): Promise<number> {
  const log = await pinoLog({ level: config.logLevel, clock: systemClock });
  const stop = new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
  try {
    const server = await startBindcar({ config, path: process.env["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", log });
    log.info("bindcar listens", { url: server.url, access: config.access.by, zones: config.zoneFolder });
    log.info("bindcar ends", { signal: await stop });
    await server.stop();
    await log.flush();
    return 0;
  } catch (error) {
    return said(`bindcar cannot start: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function flagsOf(args: readonly string[]) {
  const flag = { type: "boolean" } as const;
  const options = { help: flag, version: flag, check: flag, "i-know-this-is-insecure": flag };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function fileAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function said(...errors: readonly string[]): number {
  for (const error of errors) console.error(error);
  return 1;
}
