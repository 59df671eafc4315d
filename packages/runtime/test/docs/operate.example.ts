import { findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { sandboxes } from "./sandbox.example.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
const log = await pinoLog({ level: "info", clock });
const transport = httpTransport(await findConnection({ clock }));
await manager({
  name: "sandboxes",
  transport,
  controllers: [sandboxes],
  replicas: { as: "lease", namespace: "operators" },
  probes: { host: "0.0.0.0", port: Number(process.env["PORT"] ?? 8080) },
  log,
}).run(stop.signal); // until the signal, and then to an orderly end
await transport.close();
await log.flush();
