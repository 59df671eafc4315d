// The whole operator as a process of its own, which a test may kill: `node run-operator.ts <kubeconfig> --flag=value ...`.
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import {
  captOperator,
  chooseRunner,
  configFrom,
  engineFor,
  findProgram,
  findProvider,
  managedMetrics,
  processOptions,
  runnerSelection,
  serverKinds,
  workspaceRunner,
} from "../src/index.ts";

const namespace = "capt-system";
const [kubeconfig = "", ...flags] = process.argv.slice(2);
const read = configFrom(Object.fromEntries(flags.map((flag) => flag.split("=", 2))));
if ("errors" in read) throw new Error(read.errors.join("\n"));
const { config } = read;

const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
const client = createClient({ transport, clock, random });
const log = await pinoLog({ level: "debug", clock });
const kinds = await serverKinds(client);
const path = process.env["PATH"] ?? "";
const choice = await chooseRunner(config.runner.kind, {
  provider: () => findProvider(client, clock, kinds),
  program: (name) => findProgram(name, path),
});

const metrics = managedMetrics(config.timeoutPolicy);
metrics.onRunner(choice.as);
const { root, concurrency, timeout } = config.runner;
const runner =
  choice.as === "none"
    ? undefined
    : workspaceRunner({
        engine: engineFor(choice, { clock, root, path }),
        clock,
        random,
        namespace,
        kinds,
        concurrency,
        timeout,
        select: runnerSelection(config),
        onRun: metrics.onRun,
      });
const it = manager({
  name: "capt",
  transport,
  controllers: captOperator({ config, kinds, onMode: metrics.onMode, ...(runner === undefined ? {} : { runner }) }),
  ...processOptions(config, namespace),
  log,
  metrics: metrics.metrics,
});
const stop = new AbortController();
process.once("SIGTERM", () => void (runner?.drain() ?? Promise.resolve()).then(() => stop.abort()));
await it.run(stop.signal);
await transport.close();
await log.flush();
