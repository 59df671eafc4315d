// The operator put together: its controllers, and the one way to providers that they share.

import { type Clock, type Random, systemClock, systemRandom } from "@telltale/clock";
import { usage } from "@telltale/kinds/usage";
import { type Controller, type Log, silentLog } from "@telltale/runtime";
import { type AddressPolicy, checkHost, type Lookup, parseAllowed } from "./addresses.ts";
import { adoption } from "./adoption/controller.ts";
import type { Config } from "./config.ts";
import { dryRun } from "./dry-run.ts";
import { checkedGet } from "./http-get.ts";
import { KnownSecrets } from "./known-secrets.ts";
import type { CallSample } from "./link/calls.ts";
import { Links } from "./link/links.ts";
import { Reservations } from "./placement/reservations.ts";
import { providers } from "./provider/controller.ts";
import { externalEndpoints } from "./provider/external.ts";
import { systemLookup } from "./system-lookup.ts";
import { virtualMachines } from "./virtual-machine/controller.ts";
import type { AddressSample } from "./virtual-machine/first-address.ts";
import { Streaks } from "./virtual-machine/streaks.ts";
import { vmClasses } from "./vm-class/controller.ts";
import { vmClones } from "./vm-clone/controller.ts";
import { vmImages } from "./vm-image/controller.ts";
import { vmMigrations } from "./vm-migration/controller.ts";
import { vmNetworkAttachments } from "./vm-network-attachment/controller.ts";
import { vmPlacementPolicies } from "./vm-placement-policy/controller.ts";
import { vmSets } from "./vm-set/controller.ts";
import { vmSnapshots } from "./vm-snapshot/controller.ts";
import { grpcDial } from "./wire/grpc.ts";
import type { Dial } from "./wire/wire.ts";

export interface OperatorOptions {
  readonly config: Config;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** Default: gRPC. */
  readonly dial?: Dial;
  /** Default: this machine's resolver. */
  readonly lookup?: Lookup;
  /** Told of what is asked of providers. */
  readonly onCall?: (sample: CallSample) => void;
  /** Told when a machine has its first address. */
  readonly onAddress?: (sample: AddressSample) => void;
}

export function virtrigaudOperator(options: OperatorOptions): readonly Controller[] {
  const { clock = systemClock, random = systemRandom, log = silentLog, lookup = systemLookup } = options;
  const config = usage().settings("virtrigaud", options.config);
  const { workers } = config;
  const dial = options.dial ?? grpcDial({ clock, random, log });
  const links = new Links({
    dial: config.dryRun ? dryRun(dial) : dial,
    clock,
    ...(options.onCall && { onCall: options.onCall }),
  });
  const tls = new KnownSecrets();
  const places = new Reservations();
  const addresses = policyOf(config);
  const crossing = { isFree: config.allowCrossNamespaceRefs };
  const ways = { links, tls };
  const httpGet = checkedGet((host) => checkHost(host, addresses, lookup), clock);
  const settings = {
    allowExternalProviderEndpoints: config.allowExternalProviderEndpoints,
    allowCrossNamespaceRefs: config.allowCrossNamespaceRefs,
    legacyProviderConditions: config.legacyProviderConditions,
    ...(config.namespaces && { namespaces: config.namespaces }),
    workers: workers.Provider,
  };
  return [
    providers({ ...ways, settings, clock, external: externalEndpoints(addresses, lookup) }),
    adoption({ ...ways, clock }),
    virtualMachines({
      senses: { ...ways, crossing, random, streaks: new Streaks(), httpGet, places },
      workers: workers.VirtualMachine,
      ...(options.onAddress && { onAddress: options.onAddress }),
    }),
    vmClasses({ crossing, workers: workers.VMClass }),
    vmImages({ ...ways, crossing, addresses, lookup, workers: workers.VMImage }),
    vmNetworkAttachments({ crossing, workers: workers.VMNetworkAttachment }),
    vmMigrations({
      ...ways,
      crossing,
      addresses,
      lookup,
      workers: workers.VMMigration,
      // A Job changes what lies on a claim.
      ...(config.migrationJobs && !config.dryRun && { tools: config.migrationJobs }),
    }),
    vmSnapshots({ ...ways, workers: workers.VMSnapshot }),
    vmClones({ ...ways, crossing, places, workers: workers.VMClone }),
    vmPlacementPolicies({ workers: workers.VMPlacementPolicy }),
    vmSets({ workers: workers.VMSet }),
  ];
}

function policyOf({ allowedHosts }: Config): AddressPolicy {
  const allowed = parseAllowed(allowedHosts.join(","));
  // `configFrom` refuses such entries: this is for whoever makes a configuration by hand.
  if (allowed.is === "wrong") throw new Error(`${allowed.entry} is no address and no network`);
  return allowed.policy;
}
