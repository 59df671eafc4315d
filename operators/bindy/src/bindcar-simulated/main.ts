// The simulated Bindcar as a program, in place of the real one, with the same variables.
import { parseArgs } from "node:util";
import { seededRandom, systemClock } from "@telltale/clock";
import { bindcarVersion } from "../bindcar/contract.ts";
import { SimulatedBindcar } from "./bindcar.ts";
import { control } from "./control.ts";
import { listen } from "./listen.ts";

const help = `simulated bindcar ${bindcarVersion}: the API of Bindcar without BIND

  --help          print this
  --port N        listen there; default: $API_PORT, or 8080
  --host IP       default: $BIND_API_ADDRESS, or 127.0.0.1
  --control N     answer /__sim on 127.0.0.1 at this port; default: $SIM_CONTROL_PORT, or nowhere
  --seed N        of what is left to chance; default: 1

  BIND_API_TOKEN  what a caller has to have; without it nobody is asked`;

const text = { type: "string" } as const;
const options = { help: { type: "boolean" }, port: text, host: text, control: text, seed: text } as const;

try {
  const { values } = parseArgs({ options, strict: true });
  if (values.help === true) console.log(help);
  else await serve(values);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}; --help says what there is`);
  process.exitCode = 1;
}

async function serve(values: { port?: string; host?: string; control?: string; seed?: string }): Promise<void> {
  const { env } = process;
  const host = values.host ?? env["BIND_API_ADDRESS"] ?? "127.0.0.1";
  const port = portOf("--port", values.port ?? env["API_PORT"] ?? "8080");
  const desk = values.control ?? env["SIM_CONTROL_PORT"];
  const token = env["BIND_API_TOKEN"];
  const clock = systemClock;
  const random = seededRandom(Number(values.seed ?? 1));
  const bindcar = new SimulatedBindcar({ clock, random, ...(token !== undefined && token !== "" && { token }) });
  const open = [await listen({ host, port, clock, ask: (asked) => bindcar.ask(asked), bindcar })];
  if (desk !== undefined) {
    const ask = async (asked: Parameters<SimulatedBindcar["ask"]>[0]) =>
      ({ as: "answer", reply: await control(asked, bindcar, clock), after: 0 }) as const;
    open.push(await listen({ host: "127.0.0.1", port: portOf("--control", desk), clock, ask }));
  }
  console.error(`simulated bindcar at ${open.map(({ url }) => url).join(", control at ")}`);
  const stop = () => void Promise.all(open.map((it) => it.close())).then(() => process.exit(0));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
}

function portOf(name: string, given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new Error(`${name} ${JSON.stringify(given)} is no port`);
}
