// `node src/simulated/main.ts --port 9443`: the simulated provider, as a process.
import { runProvider } from "../sdk/run.ts";
import { simulatedProgram } from "./program.ts";

process.exitCode = await runProvider(simulatedProgram);
