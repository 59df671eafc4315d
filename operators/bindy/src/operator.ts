// The operator put together: its controllers, and what asks the pods.

import { readFile } from "node:fs/promises";
import type { Transport } from "@telltale/client";
import { type Clock, type Random, systemClock, systemRandom } from "@telltale/clock";
import { usage } from "@telltale/kinds/usage";
import { type Controller, type Log, silentLog } from "@telltale/runtime";
import { type Bindcar, bindcarClient } from "./bindcar/client.ts";
import { httpWire } from "./bindcar/http-wire.ts";
import { tokenFile } from "./bindcar/token.ts";
import { bind9Clusters } from "./cluster/controller.ts";
import type { Config } from "./config.ts";
import { dnsUpdates, type Updates } from "./dns-update/client.ts";
import { secretKeys } from "./dns-update/keys.ts";
import { tcpWire } from "./dns-update/tcp.ts";
import { bind9GlobalClusters } from "./global-cluster/controller.ts";
import { Grace } from "./grace.ts";
import { accounts } from "./instance/accounts.ts";
import { bind9Instances } from "./instance/controller.ts";
import { Secrets } from "./instance/secrets.ts";
import { Turns } from "./instance/turns.ts";
import type { BindyMetrics } from "./metrics.ts";
import { Prober } from "./prober/index.ts";
import { records } from "./record/index.ts";
import { gates, Ledger, Memory, zones } from "./zone/index.ts";

export interface OperatorOptions {
  readonly config: Config;
  /** To the API server: for the Secrets of the namespaces where instances are. */
  readonly transport: Transport;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Default: the pods' real API, with the token that is mounted. */
  readonly bindcar?: Bindcar;
  /** Default: their real DNS port, with the keys of their Secrets. */
  readonly updates?: Updates;
  /** Told of what is asked of pods. */
  readonly metrics?: Pick<BindyMetrics, "onBindcar" | "onProbe">;
}

export function bindyOperator(options: OperatorOptions): readonly Controller[] {
  const { transport, clock = systemClock, random = systemRandom, log = silentLog, metrics } = options;
  const config = usage().settings("bindy", options.config);
  const bindcar = options.bindcar ?? realBindcar(clock, random, metrics?.onBindcar);
  const prober = new Prober({
    bindcar,
    clock,
    random,
    ...(metrics === undefined ? {} : { onFailure: metrics.onProbe }),
  });
  const secrets = new Secrets({ transport, clock, random, log });
  const keys = secretKeys({ read: (name) => secrets.read(name), clock });
  const updates = options.updates ?? dnsUpdates({ wire: tcpWire({ clock }), keys, clock });
  const tools = { config, prober, secrets, turns: new Turns(), random };
  const ledger = new Ledger();
  return [
    bind9GlobalClusters({ config, grace: new Grace() }),
    bind9Clusters({ config, grace: new Grace() }),
    bind9Instances(tools),
    accounts(),
    zones({ bindcar, updates, ledger, memory: new Memory(), findings: prober }, prober.zoneSource),
    gates(ledger),
    ...records(ledger),
  ];
}

function realBindcar(clock: Clock, random: Random, onAttempt?: (code: number) => void): Bindcar {
  const read = (path: string) => readFile(path, "utf8").catch(() => undefined);
  const token = tokenFile({ read, clock });
  return bindcarClient({ wire: httpWire({ clock }), token, clock, random, ...(onAttempt && { onAttempt }) });
}
