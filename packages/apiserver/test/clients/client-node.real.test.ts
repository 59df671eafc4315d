// @kubernetes/client-node, unchanged, against the server: typed calls, a watch, an informer and custom objects.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Program, run, startProgram } from "../program.ts";
import { clientNode } from "./toolchain.ts";

const module = await clientNode();
const script = fileURLToPath(new URL("./node/client-node.mjs", import.meta.url));

describe.skipIf(module === undefined)("@kubernetes/client-node", () => {
  let server: Program;
  beforeAll(async () => {
    server = await startProgram();
  });
  afterAll(() => server?.stop());

  it("calls, watches and informs as it does with a cluster", async () => {
    const env = { ...process.env, KUBECONFIG: server.kubeconfig };
    const { exit, stderr } = await run(process.execPath, [script, module ?? ""], { env, timeoutMs: 60_000 });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  });
});
