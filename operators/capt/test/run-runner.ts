// The workspace runner as a process of its own, which a test may kill: `node run-runner.ts <kubeconfig> <root> <program>`.
import { basename } from "node:path";
import { findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { workspaceRunner } from "../src/runner/index.ts";
import { processEngine } from "../src/runner/process/process-engine.ts";
import { systemMachine } from "../src/runner/process/system-machine.ts";

const [kubeconfig = "", root = "", file = "", version = ""] = process.argv.slice(2);
const name = basename(file) === "tofu" ? "tofu" : "terraform";
const path = process.env["PATH"] ?? "";
const engine = processEngine({ name, file, version, root, path, clock, machine: systemMachine(clock) });
const runner = workspaceRunner({ engine, clock, random, namespace: "capt-system" });
const transport = httpTransport(await findConnection({ clock, path: kubeconfig }));
const log = await pinoLog({ level: "debug", clock });
const stop = new AbortController();
process.once("SIGTERM", () => void runner.drain().then(() => stop.abort()));
await manager({ name: "capt", transport, controllers: [runner.controller], log }).run(stop.signal);
await transport.close();
await log.flush();
