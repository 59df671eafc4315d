// A Bindcar that drives a real named: its parts put together, on a port.
import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@telltale/clock";
import { type Log, silentLog } from "@telltale/runtime";
import { bindcarVersion } from "../bindcar/contract.ts";
import { bindcarApi } from "./api.ts";
import { type Authenticate, anybody, sharedSecret, tokenReview } from "./authenticate.ts";
import type { Access, BindcarConfig } from "./config.ts";
import { listen } from "./listen.ts";
import { bindcarMetrics } from "./metrics.ts";
import { writeKeys } from "./named/key.ts";
import { namedServer } from "./named/named.ts";
import { rndc } from "./named/rndc.ts";
import { systemRun } from "./named/run.ts";
import { ZoneFolder } from "./named/zone-folder.ts";
import { RateLimiter } from "./rate-limit.ts";
import { reviewer } from "./review.ts";

export interface BindcarServer {
  readonly url: string;
  readonly port: number;
  /** Answers what is under way, and removes its key files. */
  stop(): Promise<void>;
}

export interface BindcarServerOptions {
  readonly config: BindcarConfig;
  /** Where rndc, nsupdate and dig are. */
  readonly path: string;
  readonly clock?: Clock;
  readonly log?: Log;
}

export async function startBindcar(options: BindcarServerOptions): Promise<BindcarServer> {
  const { config, path, clock = systemClock, log = silentLog } = options;
  const metrics = bindcarMetrics(bindcarVersion);
  const run = systemRun({ path, clock });
  const folder = await ZoneFolder.open(config.zoneFolder);
  const keys = await writeKeys({ folder: config.temporaryFolder, rndc: config.rndc, update: config.update.key });
  const { server, port, tcp } = config.update;
  const access = await authenticator(config.access, clock, log);
  const nameserver = namedServer({
    rndc: rndc({ run, conf: keys.rndcConf, clock, metrics }),
    update: { run, server, port, tcp, key: keys.updateKey },
    folder,
    ownKey: config.update.key.name,
  });
  const api = bindcarApi({
    nameserver,
    authenticate: access.authenticate,
    clock,
    version: bindcarVersion,
    metrics,
    log,
    docs: config.docs,
    ...(config.limit !== undefined && { limiter: new RateLimiter(config.limit, clock) }),
  });
  const listener = await listen(api, { host: config.address, port: config.port }).catch(async (error: unknown) => {
    await keys.remove();
    throw error;
  });
  return {
    url: listener.url,
    port: listener.port,
    async stop() {
      await listener.close();
      await access.close();
      await keys.remove();
    },
  };
}

async function authenticator(
  access: Access,
  clock: Clock,
  log: Log,
): Promise<{ readonly authenticate: Authenticate; close(): Promise<void> }> {
  const nothing = async () => {};
  switch (access.by) {
    case "nobody":
      return { authenticate: anybody, close: nothing };
    case "shared secret":
      return { authenticate: sharedSecret(access.token), close: nothing };
    case "token review": {
      const { review, close } = await reviewer({
        cluster: access.cluster,
        read: (path) => readFile(path, "utf8"),
        clock,
      });
      const onRefusal = (why: string) => log.warn("somebody was refused", { why });
      return { authenticate: tokenReview({ rules: access.rules, review, clock, onRefusal }), close };
    }
  }
}
