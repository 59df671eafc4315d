// The operator with all its controllers as a process of its own, for providers that run elsewhere, as their annotation says: at
// `provider.example`, which is this machine. `node run-complete-operator.ts <kubeconfig>`.
import { findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { configFrom, virtrigaudOperator } from "../src/index.ts";
import { grpcDial } from "../src/wire/grpc.ts";

const [kubeconfig = ""] = process.argv.slice(2);
const log = await pinoLog({ level: "warn", clock });
const read = configFrom({ ...process.env, VIRTRIGAUD_ALLOW_EXTERNAL_PROVIDER_ENDPOINTS: "true" });
if ("errors" in read) throw new Error(read.errors.join("\n"));
/** An address for documentation, as no provider may be on loopback. */
const elsewhere = "192.0.2.1";
const dial = grpcDial({ clock, random, log });
const it = manager({
  name: "virtrigaud",
  transport: httpTransport(await findConnection({ clock, path: kubeconfig, env: {} })),
  controllers: virtrigaudOperator({
    config: read.config,
    clock,
    random,
    log,
    lookup: async () => [elsewhere],
    dial: (target) => dial({ ...target, endpoint: target.endpoint.replace(elsewhere, "127.0.0.1") }),
  }),
  replicas: { as: "one" },
  log,
});
await it.run(new AbortController().signal);
