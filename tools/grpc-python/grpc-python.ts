// Where a Python with gRPC and its code generator is: another language's gRPC for suites to speak with.
import type { Environment } from "../cache.ts";
import { findTool, installTool, type PythonTool, toolFor } from "../python.ts";

export const grpcVersion = "1.76.0";

const grpcPython: PythonTool = {
  label: "gRPC for Python",
  program: "python",
  packages: ["grpcio", "grpcio-tools", "grpcio-status"].map((name) => `${name}==${grpcVersion}`),
  folder: `grpc-python/${grpcVersion}`,
  variable: "TELLTALE_GRPC_PYTHON",
  command: "npm run grpc-python",
};

/** The folder with that `python`, or undefined where it would have to be installed first. */
export const findGrpcPython = (env: Environment = process.env): string | undefined => findTool(grpcPython, env);

/** The program for a suite that runs only where it is. Without it one line says that the suite is skipped. */
export const grpcPythonFor = (suite: string, env: Environment = process.env): string | undefined =>
  toolFor(grpcPython, suite, env);

export const installGrpcPython = (say: (line: string) => void, env: Environment = process.env): Promise<string> =>
  installTool(grpcPython, say, env);
