// Runs a command inside a guest, through its agent.
import type { Reply, Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { AgentError, execute } from "./agent.ts";
import type { Box } from "./box.ts";

export async function guestExec(box: Box, request: Requested<"guestExec">): Promise<Reply<"guestExec">> {
  const machine = box.machines.need(request.vmId);
  if (request.command.length === 0 || request.command[0] === "")
    throw new RpcError("INVALID_ARGUMENT", "command must have a program");
  if ((await box.running.process(machine)) === undefined)
    throw new RpcError("FAILED_PRECONDITION", "a machine that is off runs no commands");
  const limit = (request.timeoutSeconds > 0 ? Math.min(request.timeoutSeconds, 3600) : 60) * 1000;
  try {
    return await box.running.agent(machine, 2000, (ask) => execute(box.host, ask, request.command, limit));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (error.reason === "commandTimeout") throw new RpcError("DEADLINE_EXCEEDED", error.message);
    // Without an agent in its guest, this machine cannot do this, now or later.
    throw new RpcError("UNIMPLEMENTED", `the guest runs no commands: ${error.message}`);
  }
}
