// Providers that are only looked at: what would change something is refused before it is sent.
import type { Method } from "./contract/contract.ts";
import { RpcError } from "./contract/rpc-error.ts";
import type { Dial } from "./wire/wire.ts";

const harmless: ReadonlySet<Method> = new Set([
  "validate",
  "describe",
  "taskStatus",
  "getCapabilities",
  "getDiskInfo",
  "listVMs",
]);

export const dryRun =
  (dial: Dial): Dial =>
  (target) => {
    const wire = dial(target);
    return {
      async ask(method, request, options) {
        if (!harmless.has(method)) throw new RpcError("ABORTED", `dry run: ${method} was not sent`);
        return wire.ask(method, request, options);
      },
      close: () => wire.close(),
    };
  };
