// `telltale up --real` with virtual machines: the sample's machine is one of QEMU, and goes when the program is asked to end.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { VirtualMachine } from "@telltale/virtrigaud";
import { expect, test } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { type Told, told } from "./told.ts";

const path = qemuFor("telltale up --real with virtual machines");

/** Processes of QEMU that have something below a folder. */
const machinesIn = (folder: string): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1");
      } catch {
        return ""; // it has just ended
      }
    })
    .filter((argv) => argv.startsWith("qemu-system-x86_64") && argv.includes(folder)).length;

test.skipIf(path === undefined)("a machine is made, boots, and does not outlive telltale", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tq-"));
  const stop = new AbortController();
  const argv = ["up", "--real", "--json", "--operators", "virtrigaud", "--data", folder];
  const running = told(argv, { PATH: path ?? "" }, stop.signal);
  let over: Told | undefined;
  void running.then((it) => {
    over = it;
  });
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) {
      if (over !== undefined) throw new Error(`telltale has ended: ${over.err}`);
      await sleep(clock, 200);
    }
  };
  const kubeconfig = join(folder, "kubeconfig");
  try {
    await until(() => existsSync(kubeconfig));
    const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
    const client = createClient({ transport, clock, random });
    let machine: VirtualMachine | undefined;
    await until(async () => {
      machine = await client.get(VirtualMachine, "web", { namespace: "default" }).catch(() => undefined);
      return machine?.status?.phase === "Running";
    });
    await client.close();
    const serial = join(folder, "virtrigaud/providers/default/box/vms", machine?.status?.id ?? "", "run/serial.log");
    await until(() => readFileSync(serial, "latin1").startsWith("B"));
    expect(machinesIn(folder)).toBeGreaterThan(0);
  } finally {
    stop.abort();
    expect(await running).toMatchObject({ code: 0 });
  }
  expect(machinesIn(folder)).toBe(0);
  rmSync(folder, { recursive: true });
});
