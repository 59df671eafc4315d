// On, off, reset, and the polite way to off.
import type { Ms } from "@telltale/kinds";
import { PowerOp, type Reply, type Requested } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { AgentError } from "./agent.ts";
import type { Box } from "./box.ts";
import type { Machine } from "./machine.ts";
import { settle } from "./settle.ts";
import type { Work } from "./work.ts";

const defaultGrace: Ms = 60_000;
const mostGrace: Ms = 3_600_000;

export async function power(box: Box, { id, op, gracefulTimeoutSeconds }: Requested<"power">): Promise<Reply<"power">> {
  switch (op) {
    case PowerOp.ON:
      await box.alone(id, "power on", async (machine) => {
        await box.running.start(await settle(box, machine));
      });
      return {};
    case PowerOp.OFF:
      return off(box, id);
    case PowerOp.REBOOT:
      await box.alone(id, "reboot", (machine) => reset(box, machine));
      return {};
    case PowerOp.SHUTDOWN_GRACEFUL:
      return shutDown(
        box,
        id,
        gracefulTimeoutSeconds > 0 ? Math.min(gracefulTimeoutSeconds * 1000, mostGrace) : defaultGrace,
      );
    default:
      throw new RpcError("INVALID_ARGUMENT", "op must be ON, OFF, REBOOT or SHUTDOWN_GRACEFUL");
  }
}

/** Off does not wait for a polite shutdown that is under way: it ends it. */
async function off(box: Box, id: string): Promise<Reply<"power">> {
  const task = box.tasks.holding(id);
  if (task?.op === "shutdown") await box.tasks.cancel(task.id);
  await box.alone(id, "power off", (machine) => box.running.stop(machine));
  return {};
}

async function reset(box: Box, machine: Machine): Promise<void> {
  if ((await box.running.process(machine)) === undefined)
    throw new RpcError("FAILED_PRECONDITION", "a machine that is off cannot be reset");
  const qmp = await box.running.monitor(machine);
  await qmp.execute("system_reset");
}

async function shutDown(box: Box, id: string, grace: Ms): Promise<Reply<"power">> {
  const machine = box.machines.need(id);
  if (box.tasks.holding(id)?.op !== "shutdown" && box.machines.heldFor(id) === undefined) {
    // Nothing to wait for: what the process has left is taken away.
    if ((await box.running.process(machine)) === undefined) return off(box, id);
  }
  const key = `shutdown:${id}`;
  const going = box.tasks.byKey(key);
  const start = () => box.tasks.start({ op: "shutdown", vmId: id, holds: [id], key, params: { grace } });
  const task = going ?? (await box.alone(id, "shut down", start));
  return { task: { id: task.id } };
}

/** Asks the guest, through its agent where there is one, else by its power button; what does not go is ended. */
export const shutdownWork = (box: Box): Work => ({
  isCopy: false,
  steps({ vmId, params, startedAt }) {
    return [
      {
        name: "shut down",
        stage: "ShuttingDown",
        kind: "steps",
        async run({ signal }) {
          const machine = box.machines.need(vmId);
          const until = Date.parse(startedAt) + Number(params["grace"]);
          if (!(await askAgent(box, machine))) {
            const qmp = await box.running.monitor(machine).catch(() => undefined);
            await qmp?.execute("system_powerdown").catch(() => undefined);
          }
          await box.running.hasEnded(machine, Math.max(0, until - box.host.clock.now()), signal);
          await box.running.stop(machine);
        },
      },
    ];
  },
});

async function askAgent(box: Box, machine: Machine): Promise<boolean> {
  try {
    await box.running.agent(machine, 2000, async (ask) => {
      // The agent answers this one only where it fails.
      await ask("guest-shutdown", { mode: "powerdown" }, 1000).catch((error: unknown) => {
        if (!(error instanceof AgentError && error.reason === "noAnswer")) throw error;
      });
    });
    return true;
  } catch {
    return false;
  }
}
