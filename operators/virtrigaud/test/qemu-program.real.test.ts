// The QEMU provider as a program, over gRPC, ended by kill -9: what it began goes on, and the next one knows all about it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemRandom } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { type Answer, type Method, PowerOp, type Request } from "../src/contract/contract.ts";
import { grpcDial } from "../src/wire/grpc.ts";
import type { Wire } from "../src/wire/wire.ts";
import { createRequest, Kit, until } from "./qemu/kit.ts";

const path = qemuFor("the QEMU provider as a program");
const main = new URL("../src/qemu/main.ts", import.meta.url).pathname;

describe.skipIf(path === undefined)("virtrigaud-qemu", () => {
  let kit: Kit;
  let child: ChildProcess | undefined;
  let wire: Wire | undefined;
  beforeAll(() => {
    kit = new Kit();
  });
  afterAll(async () => {
    if (child?.exitCode === null) await kill();
    wire?.close();
    await kit?.open();
    await kit?.close();
  });

  const start = async () => {
    const flags = {
      "state-dir": kit.state,
      "image-dirs": kit.images,
      "min-free": "1Mi",
      listen: "127.0.0.1",
      port: "0",
      "health-port": "0",
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const env = { ...process.env, VIRTRIGAUD_PROVIDER_INSECURE: "true", LOG_FORMAT: "json" };
    child = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const served = () => output.split("\n").find((line) => line.includes("the provider serves"));
    await until("the provider serves", () => served() !== undefined);
    const { port } = JSON.parse(served() ?? "");
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    wire?.close();
    wire = grpcDial({ clock: systemClock, random: systemRandom, log: log as never })({
      endpoint: `127.0.0.1:${port}`,
      serverName: "localhost",
      connectTimeout: 5000,
    });
  };
  const kill = async () => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
  };
  const ask = <M extends Method>(method: M, request: Request<M>): Promise<Answer<M>> => {
    if (wire === undefined) throw new Error("the provider was not started");
    return wire.ask(method, request, { deadline: 60_000 });
  };
  const status = (id: string) => ask("taskStatus", { task: { id } });

  it("S59 provider restart with a running machine: it runs on, is On at once, and goes off when asked", async () => {
    await start();
    const { id, task } = await ask("create", createRequest("runs", { image: join(kit.images, "boot.raw") }));
    await until("the machine is made", async () => task === undefined || (await status(task.id)).done);
    // L-17: disks are not for everybody.
    expect(statSync(join(kit.state, "vms", id, "disks", "root.qcow2")).mode & 0o777).toBe(0o640);
    expect(statSync(join(kit.state, "vms", id, "seed", "user-data")).mode & 0o777).toBe(0o600);
    expect(statSync(kit.state).mode & 0o777).toBe(0o700);
    await ask("power", { id, op: PowerOp.ON });
    await until("the guest counts", () => kit.serial(id).length > 2);
    await kill();
    const before = kit.serial(id).length;
    await start();
    const began = systemClock.uptime();
    expect(await ask("describe", { id })).toMatchObject({ exists: true, powerState: "On" });
    expect(systemClock.uptime() - began).toBeLessThan(2000);
    await until("the guest counts on", () => kit.serial(id).length > before + 1);
    expect(kit.serial(id).match(/B/g)?.length).toBeLessThan(3); // it never booted again: B is its greeting, and its second letter
    await ask("power", { id, op: PowerOp.OFF });
    expect(await ask("describe", { id })).toMatchObject({ powerState: "Off" });
    expect(await kit.processes(id)).toBe(0);
    await ask("delete", { id });
  });

  it("S58 provider restart during convert: the same task goes on and ends, and the disk is sound", async () => {
    writeFileSync(join(kit.images, "noise.raw"), systemRandom.bytes(48 * 2 ** 20));
    const image = { source: { libvirt: { path: join(kit.images, "noise.raw"), format: "raw" } } };
    const imageJson = JSON.stringify({ ...image, prepare: { optimization: { enableCompression: true } } });
    const { task, preparedImagePath } = await ask("imagePrepare", { imageJson, targetName: "noise" });
    const id = task?.id ?? "";
    await until("half of it is converted", async () => {
      const { stage, percent, done } = await status(id);
      return done || (stage === "Converting" && percent >= 50);
    });
    expect((await status(id)).done).toBe(false);
    await kill();
    await start();
    await until("the task ends", async () => (await status(id)).done);
    expect(await status(id)).toMatchObject({ done: true, error: "", percent: 100 });
    // The child went on: nothing was begun a second time.
    const { attempt } = JSON.parse(readFileSync(join(kit.state, "tasks", `${id}.json`), "utf8"));
    expect(attempt).toBe(1);
    execFileSync("qemu-img", ["check", "-q", preparedImagePath]);
    const compare = ["compare", "-f", "raw", "-F", "qcow2", join(kit.images, "noise.raw"), preparedImagePath];
    expect(execFileSync("qemu-img", compare, { encoding: "utf8" })).toContain("identical");
  });

  it("lets no second provider into its state directory", async () => {
    const env = { ...process.env, VIRTRIGAUD_PROVIDER_INSECURE: "true" };
    const second = spawn(process.execPath, [main, `--state-dir=${kit.state}`, "--port=0", "--health-port=0"], { env });
    let said = "";
    second.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    expect(await new Promise((resolve) => second.once("close", resolve))).toBe(1);
    expect(said).toContain(`process ${child?.pid} uses the state directory already`);
  });
});
