// `telltale up --real` with virtual machines: the sample's machine is one of QEMU, and goes when the program is asked to end.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import { VirtualMachine } from "@telltale/virtrigaud";
import { expect, test } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { told } from "./told.ts";

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
  const kubeconfig = join(folder, "kubeconfig");
  try {
    while (!existsSync(kubeconfig)) await sleep(clock, 100);
    const transport = httpTransport(await findConnection({ clock, path: kubeconfig, env: {} }));
    const client = createClient({ transport, clock, random });
    const web = () => client.get(VirtualMachine, "web", { namespace: "default" }).catch(() => undefined);
    let machine = await web();
    for (; machine?.status?.phase !== "Running"; machine = await web()) await sleep(clock, 200);
    await client.close();
    const serial = join(folder, "virtrigaud/providers/default/box/vms", machine.status?.id ?? "", "run/serial.log");
    while (!readFileSync(serial, "latin1").startsWith("B")) await sleep(clock, 100);
    expect(machinesIn(folder)).toBeGreaterThan(0);
  } finally {
    stop.abort();
    expect(await running).toMatchObject({ code: 0 });
  }
  expect(machinesIn(folder)).toBe(0);
  rmSync(folder, { recursive: true });
});
