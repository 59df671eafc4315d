// `npm run grpc-python`: prints the folder with a Python that has gRPC, and installs it when it is nowhere.
import { bringing } from "../bring.ts";
import { findGrpcPython, grpcVersion, installGrpcPython } from "./grpc-python.ts";

const what = `Prints the folder that has a python with grpcio, grpcio-tools and grpcio-status ${grpcVersion}: $TELLTALE_GRPC_PYTHON where that is set,
else the cache ($TELLTALE_CACHE, $XDG_CACHE_HOME/telltale or ~/.cache/telltale). What is not there is installed once from PyPI, in a virtual
environment.`;

await bringing("grpc-python", what, async (say) => findGrpcPython() ?? (await installGrpcPython(say)));
