#!/usr/bin/env node
// The server as a program: prints one line of JSON when it is ready, and ends cleanly when asked to.
import { writeFileSync } from "node:fs";
import { objectsIn, readArguments, type Values } from "./arguments.ts";
import { type PodSecuritySettings, settingsFrom } from "./pod-security/settings.ts";
import { startApiServer } from "./server.ts";
import { StoreUnusable } from "./store/errors.ts";
import { repairStore } from "./store/repair.ts";

const usage = `usage: telltale-apiserver [options]
  --data-dir DIR          keep everything in a folder; without it, in memory only
  --repair                repair a damaged --data-dir, say what is lost, and end; damaged files are kept beside the new ones
  --port N                listen there (default: a free port), on 127.0.0.1 only
  --kubeconfig-out FILE   write a kubeconfig of the administrator
  --token TOKEN           let the administrator in by this token too
  --controllers none|core garbage collection and namespace deletion (default: core)
  --crds FILE ...         definitions to load at the start (YAML or JSON)
  --pod-security FILE     levels and exemptions of PodSecurity: a PodSecurityConfiguration, as kube-apiserver reads it
  --anonymous             let requests without credentials in as system:anonymous
  --version-string V      what /version says
  --help`;

const values = readArguments(process.argv.slice(2));

if ("problem" in values) {
  console.error(`${values.problem}\n\n${usage}`);
  process.exitCode = 2;
} else if (values.help) {
  console.log(usage);
} else {
  await run(values).catch((error: unknown) => {
    // A folder in use, a port that is taken: one line says it, a stack would hide it.
    console.error(error instanceof Error ? error.message : String(error));
    if (error instanceof StoreUnusable && error.remedy === "repair")
      console.error(`to repair it: telltale-apiserver --data-dir ${values["data-dir"]} --repair`);
    process.exit(1);
  });
}

async function repair(dir: string | undefined): Promise<void> {
  if (dir === undefined) throw new Error("--repair needs the folder: --data-dir DIR");
  const found = await repairStore(dir);
  console.log(found.length === 0 ? `nothing in ${dir} is damaged` : found.join("\n"));
}

async function run(values: Values): Promise<void> {
  if (values.repair) return repair(values["data-dir"]);
  const objects = values.crds.flatMap(objectsIn);
  const security = values["pod-security"] === undefined ? undefined : podSecurityIn(values["pod-security"]);
  const server = await startApiServer({
    listen: { port: Number(values.port) },
    controllers: values.controllers === "none" ? "none" : "core",
    anonymous: values.anonymous,
    objects,
    log: (line) => console.error(line),
    ...(security === undefined ? {} : { podSecurity: security }),
    ...(values["data-dir"] === undefined ? {} : { storage: { kind: "disk", dir: values["data-dir"] } }),
    ...(values["version-string"] === undefined ? {} : { version: values["version-string"] }),
    ...(values.token === undefined
      ? {}
      : {
          tokens: {
            [values.token]: {
              username: "admin",
              uid: "",
              groups: ["system:masters", "system:authenticated"],
              extra: {},
            },
          },
        }),
  });
  const file = values["kubeconfig-out"];
  if (file !== undefined) writeFileSync(file, server.kubeconfig(), { mode: 0o600 });
  console.log(JSON.stringify({ url: server.url, kubeconfig: file, pid: process.pid }));
  const end = () => {
    void server.stop().then(() => process.exit(0));
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
}

/** Throws an error that names the file, when it holds something else. */
function podSecurityIn(file: string): PodSecuritySettings {
  const [settings, ...more] = objectsIn(file);
  if (settings?.["kind"] !== "PodSecurityConfiguration" || more.length > 0)
    throw new Error(`${file}: --pod-security needs one object of kind PodSecurityConfiguration`);
  return settingsFrom(settings);
}
