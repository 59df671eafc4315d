import { PowerOp, type Program, RpcError } from "@telltale/virtrigaud/sdk";

const machines = new Map<string, { isOn: boolean }>();

function machine(id: string) {
  const found = machines.get(id);
  if (found === undefined) throw new RpcError("NOT_FOUND", `there is no machine ${id}`);
  return found;
}

/** Machines that are no more than entries of a map. */
export const program: Program = {
  name: "provider-memory",
  version: "0.1.0",
  flags: { prefix: "what ids begin with" },
  async start({ flags, log }) {
    return {
      handlers: {
        async validate() {
          return { ok: true, message: `${machines.size} machines` };
        },
        async create({ name }) {
          const id = `${flags["prefix"] ?? "m-"}${name}`;
          if (machines.has(id)) throw new RpcError("ALREADY_EXISTS", `there is a machine ${id} already`);
          machines.set(id, { isOn: false });
          log.info("a machine was made", { id });
          return { id };
        },
        async describe({ id }) {
          const found = machines.get(id);
          return found === undefined ? {} : { exists: true, powerState: found.isOn ? "On" : "Off" };
        },
        async power({ id, op }) {
          machine(id).isOn = op === PowerOp.ON || op === PowerOp.REBOOT;
          return {};
        },
        async delete({ id }) {
          machines.delete(id);
          return {};
        },
        async getCapabilities() {
          return { supportedDiskTypes: ["raw"], extensions: [], version: "0.1.0" };
        },
      },
    };
  },
};
