// Runs the QEMU provider as a container of the process runtime: the same program, told where its pod's ports and files really are, and
// with machines that somebody wants to be there from the start.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { qemuProgram } from "../qemu/program.ts";
import { runProvider } from "../sdk/run.ts";
import { tlsFolder } from "../sdk/security.ts";
import { furnish } from "./furnish.ts";

const { env } = process;
const { POD_IP: address = "127.0.0.1", TELLTALE_ROOT: root = "" } = env;
const state = join(env["LOCAL_STATE"] ?? "", env["PROVIDER_NAMESPACE"] ?? "", env["PROVIDER_NAME"] ?? "");
const names = (env["LOCAL_MACHINES"] ?? "").split(",").filter((name) => name !== "");
mkdirSync(state, { recursive: true, mode: 0o700 });

/** `--port=9443` is where that port of the pod is. */
const ports = process.argv.slice(2).map((arg) =>
  arg.replace(/^(--[a-z-]*port=)(\d+)$/, (_, flag, port) => {
    return `${flag}${env[`PORT_${port}`] ?? port}`;
  }),
);
const own = {
  listen: address,
  "state-dir": state,
  "image-dirs": env["LOCAL_IMAGES"] ?? "",
  "storage-dir": join(root, "mnt/migration-storage"),
};

process.exitCode = await runProvider(
  {
    ...qemuProgram,
    async start(around) {
      const started = await qemuProgram.start(around);
      await furnish(started.handlers, { names, image: env["LOCAL_IMAGE"] ?? "", clock: around.clock });
      return started;
    },
  },
  {
    args: [...ports, ...Object.entries(own).map(([flag, value]) => `--${flag}=${value}`)],
    tlsFolder: join(root, tlsFolder),
  },
);
