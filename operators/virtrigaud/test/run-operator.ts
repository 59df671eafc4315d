// The operator as a process of its own, which a test may kill: `node run-operator.ts <kubeconfig>`. With `before <pattern>` or
// `after <pattern>` it kills itself at the first write to the server that the pattern fits. What starts providers as pods is left out,
// since no pods run here: a provider is a process that the test has started where `spec.endpoint` says.
import { findConnection, httpTransport, type Request, type Transport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { configFrom, virtrigaudOperator } from "../src/index.ts";
import { readyProviders } from "./ready-providers.ts";

const [kubeconfig = "", when = "", pattern = ""] = process.argv.slice(2);
const server = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
const isLast = ({ method, path, body = "" }: Request): boolean =>
  pattern !== "" && method !== "GET" && new RegExp(pattern).test(`${path} ${Buffer.from(body).toString()}`);
const die = () => process.kill(process.pid, "SIGKILL");
const transport: Transport = {
  async send(request) {
    if (when === "before" && isLast(request)) die();
    const answer = await server.send(request);
    if (when === "after" && isLast(request) && answer.status < 300) die();
    return answer;
  },
  close: () => server.close(),
};
const log = await pinoLog({ level: "warn", clock });
const read = configFrom(process.env);
if ("errors" in read) throw new Error(read.errors.join("\n"));
const controllers = virtrigaudOperator({ config: read.config, clock, random, log });
const it = manager({
  name: "virtrigaud",
  transport,
  controllers: [
    ...controllers.filter(({ name }) => name !== "provider"),
    ...readyProviders(({ spec }) => spec.endpoint.replace("tcp://", "")),
  ],
  replicas: { as: "one" },
  log,
});
await it.run(new AbortController().signal);
