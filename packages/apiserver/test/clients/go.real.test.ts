// client-go and controller-runtime, unchanged, against the server: the program in clients/go, one scenario after the other.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Program, run, startProgram } from "../program.ts";
import { goClients } from "./toolchain.ts";

const clients = await goClients();

describe.skipIf(clients === undefined)("Go clients", () => {
  let server: Program;
  beforeAll(async () => {
    server = await startProgram();
  });
  afterAll(() => server?.stop());

  const scenarios = {
    typed: "client-go writes and reads every way it knows",
    protobuf: "client-go does the same with bodies in protobuf",
    informer: "a shared informer begins with a streamed list and follows",
    leader: "leader election hands a Lease over",
    metadata: "the metadata client gets metadata of every kind",
    reconciler: "a reconciler of controller-runtime keeps a custom resource's status and child, and its finalizer",
    webhook: "a validating webhook of controller-runtime denies, allows and warns",
  };
  for (const [scenario, sentence] of Object.entries(scenarios)) {
    it(sentence, async () => {
      const env = { ...process.env, KUBECONFIG: server.kubeconfig };
      const { exit, stderr } = await run(clients ?? "", [scenario], { env, timeoutMs: 90_000 });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    });
  }
});
