// The stand-in as a program, to be run in place of `locust` with the same arguments. More of them: `--time-scale N` (N times as
// fast), `--ctl-port PORT`, `--seed N`, `--fail-ratio R` and `--rate R` (requests of a user in a second); or `STAND_IN_TIME_SCALE` and so on.
import { hostname } from "node:os";
import { seededRandom, systemClock, systemRandom } from "@telltale/clock";
import { type Master, type OwnOptions, type Program, programOf } from "./arguments.ts";
import { acceptWorkers, runWorker } from "./link.ts";
import { scaled } from "./scaled.ts";
import { startStandIn } from "./stand-in.ts";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

process.exit(await run(programOf(process.argv.slice(2), process.env)));

async function run(program: Program): Promise<number> {
  switch (program.as) {
    case "exit":
      console.error(program.message);
      return program.code;
    case "worker": {
      const { place, processes, own } = program;
      const ids = Array.from({ length: processes }, newId);
      return runWorker({ ...place, ids, clock: scaled(systemClock, own.timeScale), signal: stop.signal });
    }
    case "master":
      return lead(program.master, program.own);
  }
}

async function lead({ run: options, web, bind }: Master, own: OwnOptions): Promise<number> {
  const { timeScale, controlPort } = own;
  const { host, port } = web;
  try {
    const standIn = await startStandIn({
      clock: systemClock,
      random: seededRandom(own.seed),
      run: options,
      web,
      load: own.load,
      timeScale,
      listen: { host, port, ...(controlPort !== undefined && { controlPort }) },
    });
    const link = await acceptWorkers(bind, standIn.runner);
    console.error(options.headless ? "no web interface" : `web interface at ${standIn.url}${web.basePath}`);
    stop.signal.addEventListener("abort", () => standIn.runner.quit());
    const code = await standIn.exited;
    await standIn.stop();
    link.close();
    console.error(`Shutting down (exit code ${code})`);
    return code;
  } catch (error) {
    console.error(`a port is taken, or cannot be listened on: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

/** What a worker on this host is called. In a pod the host name is the pod's. */
function newId(): string {
  const random = Array.from(systemRandom.bytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${process.env["HOSTNAME"] ?? hostname()}_${random}`;
}
