// The operator as a process of its own, which a test may kill: `node run-operator.ts <kubeconfig> <endpoint of the provider>`. What
// starts providers as pods is left out, since no pods run here: the provider is a process that the test has started.
import { findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { standardConfig, virtrigaudOperator } from "../src/index.ts";
import { readyProviders } from "./ready-providers.ts";

const [kubeconfig = "", endpoint = ""] = process.argv.slice(2);
const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
const log = await pinoLog({ level: "warn", clock });
const controllers = virtrigaudOperator({ config: standardConfig, clock, random, log });
const it = manager({
  name: "virtrigaud",
  transport,
  controllers: [...controllers.filter(({ name }) => name !== "provider"), ...readyProviders(endpoint)],
  replicas: { as: "one" },
  log,
});
await it.run(new AbortController().signal);
