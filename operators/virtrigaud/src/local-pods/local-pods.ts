// Providers' pods as local processes with real machines in QEMU: what the process runtime has to be told so that it can run them, and how
// they are reached without Service DNS.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock, Random } from "@telltale/clock";
import type { Pod } from "@telltale/kinds/builtin";
import type { Log } from "@telltale/runtime";
import { RpcError } from "../contract/rpc-error.ts";
import { labels } from "../names.ts";
import { appName, runtimeName } from "../provider/runtime-names.ts";
import { grpcDial } from "../wire/grpc.ts";
import type { Dial, Wire } from "../wire/wire.ts";
import { bootImage } from "./boot-image.ts";

export interface LocalPodsOptions {
  /** Where machines and images are kept. They outlive the pods. */
  readonly folder: string;
}

export interface LocalPods {
  /** To be spread into the options of `processRuntime`. */
  readonly runtime: { readonly images: Readonly<Record<string, LocalProgram>>; readonly translatePaths: false };
  /** The path of an image that boots, for whoever has no other. */
  readonly image: string;
  runs(pod: Pod): boolean;
}

interface LocalProgram {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export function localPods({ folder }: LocalPodsOptions): LocalPods {
  const images = join(folder, "images");
  mkdirSync(images, { recursive: true, mode: 0o700 });
  const image = join(images, "boot.raw");
  bootImage(image);
  const env = { LOCAL_STATE: join(folder, "providers"), LOCAL_IMAGES: images, LOCAL_IMAGE: image };
  return {
    // What is mounted at /tmp of a pod is not meant where this program, or its folder, is below that of the machine.
    runtime: { images: { "*": { command: [process.execPath, program], env } }, translatePaths: false },
    image,
    runs: ({ metadata }) => metadata?.labels?.[labels.name] === appName,
  };
}

const program = fileURLToPath(new URL("./provider-program.ts", import.meta.url));

export interface LocalDialOptions {
  /** As they were last seen. */
  readonly pods: () => Iterable<Pod>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** gRPC to the pod behind a Service, wherever that listens now. */
export function localDial({ pods, ...around }: LocalDialOptions): Dial {
  const dial = grpcDial(around);
  return (target) => {
    const wires = new Map<string, Wire>();
    return {
      async ask(method, request, options) {
        const endpoint = addressOf(target.endpoint, pods());
        if (endpoint === undefined)
          throw new RpcError("UNAVAILABLE", "no pod of the provider listens yet", { isUnsent: true });
        const wire = wires.get(endpoint) ?? dial({ ...target, endpoint });
        wires.set(endpoint, wire);
        return wire.ask(method, request, options);
      },
      close() {
        for (const wire of wires.values()) wire.close();
        wires.clear();
      },
    };
  };
}

/** In which the runtime says where each port of a pod is. */
const portsAnnotation = "telltale.dev/ports";

/** `virtrigaud-provider-default-box.default.svc.cluster.local:9443` as a pod has it. Pure. */
export function addressOf(endpoint: string, pods: Iterable<Pod>): string | undefined {
  const [host = "", port = ""] = endpoint.split(":");
  const [service, namespace = ""] = host.split(".");
  for (const { metadata } of pods) {
    const name = metadata?.labels?.[labels.instance];
    if (metadata?.namespace !== namespace || metadata?.deletionTimestamp !== undefined || name === undefined) continue;
    if (runtimeName({ metadata: { namespace, name } }) !== service) continue;
    const address = placesIn(metadata?.annotations?.[portsAnnotation])[port];
    if (address !== undefined) return address;
  }
  return undefined;
}

/** `{"9443": "127.0.0.2:9443"}`. */
function placesIn(text = "{}"): Readonly<Record<string, string>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, string>>;
  } catch {
    return {};
  }
}
