// `npm run grpc-python`: prints the folder with a Python that has gRPC, and installs it when it is nowhere.
import { parseArgs } from "node:util";
import { findGrpcPython, grpcVersion, installGrpcPython } from "./grpc-python.ts";

const help = `npm run grpc-python

Prints the folder that has a python with grpcio, grpcio-tools and grpcio-status ${grpcVersion}: $TELLTALE_GRPC_PYTHON where that is set,
else the cache ($TELLTALE_CACHE, $XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is installed once from PyPI, in a virtual
environment.

  --help   print this`;

try {
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  if (values.help) console.log(help);
  else console.log(findGrpcPython() ?? (await installGrpcPython((line) => console.error(`grpc-python: ${line}`))));
} catch (error) {
  console.error(`grpc-python: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
