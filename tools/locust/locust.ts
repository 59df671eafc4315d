// Where the real Locust is.
import type { Environment } from "../cache.ts";
import { findTool, installTool, type PythonTool, toolFor } from "../python.ts";

/** What the operator's documents and stand-in speak of. */
export const locustVersion = "2.46.3";

export const locust: PythonTool = {
  label: "Locust",
  program: "locust",
  packages: [`locust==${locustVersion}`],
  folder: `locust/${locustVersion}`,
  variable: "TELLTALE_LOCUST",
  command: "npm run locust",
};

/** The folder with `locust`, or undefined where it would have to be installed first. */
export const findLocust = (env: Environment = process.env): string | undefined => findTool(locust, env);

/** The program for a suite that runs only where it is. Without it one line says that the suite is skipped. */
export const locustFor = (suite: string, env: Environment = process.env): string | undefined =>
  toolFor(locust, suite, env);

export const installLocust = (say: (line: string) => void, env: Environment = process.env): Promise<string> =>
  installTool(locust, say, env);
