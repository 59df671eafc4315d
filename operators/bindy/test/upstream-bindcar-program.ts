// Runs upstream's Bindcar as a container of the process runtime: told where its pod's ports and files really are.
import { spawn } from "node:child_process";

const {
  TELLTALE_ROOT: root = "",
  POD_IP: address = "127.0.0.1",
  UPSTREAM: program = "",
  LOCAL_PATH: path,
} = process.env;
const portOf = (port: string): string => process.env[`PORT_${port}`] ?? port;

const child = spawn(program, ["run"], {
  stdio: "inherit",
  env: {
    ...process.env,
    PATH: path,
    BIND_API_ADDRESS: address,
    API_PORT: portOf(process.env["API_PORT"] ?? "8080"),
    BIND_ZONE_DIR: `${root}/var/cache/bind`,
    TMPDIR: `${root}/tmp`,
    RNDC_SERVER: `${address}:${portOf("9530")}`,
    NSUPDATE_SERVER: address,
    NSUPDATE_PORT: portOf("5353"),
  },
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGKILL" ? 137 : 143)));
