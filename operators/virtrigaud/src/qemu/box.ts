// All that the methods work with, in one value; and what many of them ask: qemu-img, and room on the disk.
import type { Ms } from "@telltale/kinds";
import { RpcError } from "../contract/rpc-error.ts";
import type { Fetch } from "./download.ts";
import type { Host } from "./host.ts";
import { type Layout, layoutOf } from "./layout.ts";
import type { DiskFormat, Machine } from "./machine.ts";
import { busy, Machines } from "./machines.ts";
import { failureOf, type ImageInfo, infoOf, measured } from "./qemu-img.ts";
import { missingQemu, Running } from "./running.ts";
import type { Settings } from "./settings.ts";
import type { Tasks } from "./tasks.ts";

export class Box {
  readonly host: Host;
  readonly settings: Settings;
  readonly layout: Layout;
  readonly machines: Machines;
  readonly running: Running;
  readonly fetch: Fetch;
  #tasks: Tasks | undefined;

  constructor(host: Host, settings: Settings, fetch: Fetch) {
    this.host = host;
    this.settings = settings;
    this.layout = layoutOf(settings.stateDir);
    this.machines = new Machines(host, this.layout, settings.shortDir);
    this.running = new Running(host, this.layout, settings, this.machines);
    this.fetch = fetch;
  }

  /** Tasks are made of the methods' own steps, and so come after them. */
  set tasks(tasks: Tasks) {
    this.#tasks = tasks;
  }

  get tasks(): Tasks {
    if (this.#tasks === undefined) throw new Error("the box has no tasks yet");
    return this.#tasks;
  }

  /** A machine that is made, and that nobody else changes meanwhile. */
  alone<T>(id: string, what: string, act: (machine: Machine) => Promise<T>): Promise<T> {
    const machine = this.machines.need(id);
    const task = this.tasks.holding(id);
    if (task !== undefined) throw busy(id, task.op);
    if (machine.state !== "defined") throw busy(id, "create");
    return this.machines.exclusive(id, what, () => act(this.machines.need(id)));
  }

  /** Runs qemu-img to its end; what it says on success. */
  async img(what: string, ...args: readonly string[]): Promise<string> {
    const ran = await this.imgCode(args);
    if (ran.code !== 0) throw failureOf(what, ran.stderr);
    return ran.stdout;
  }

  async imgCode(args: readonly string[], limit?: Ms) {
    const ran = await this.host.run([this.settings.programs.img, ...args], limit);
    if (ran.isMissing) throw missingQemu();
    return ran;
  }

  /** What is in a file, read as one format only: it is never guessed. */
  async info(path: string, format: DiskFormat): Promise<ImageInfo> {
    const ran = await this.imgCode(["info", "-U", "--output=json", "-f", format, path], 30_000);
    if (ran.code !== 0)
      throw new RpcError("INVALID_ARGUMENT", `the image is refused: it is not ${format}, or is damaged`);
    return infoOf(ran.stdout)[0];
  }

  /** How many bytes a copy can need. */
  async measure(path: string, from: DiskFormat, to: DiskFormat): Promise<number> {
    // What vmdk needs nobody measures: as much as a raw disk is never too little.
    const target = to === "vmdk" ? "raw" : to;
    return measured(await this.img("measure", "measure", "-U", "--output=json", "-f", from, "-O", target, path));
  }

  /** Refuses what would leave less than the reserve. */
  async room(bytes: number, folder = this.layout.root): Promise<void> {
    const free = await this.host.free(folder);
    if (free - bytes >= this.settings.minFree) return;
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `no space: ${bytes} bytes are needed, ${free} are free, and ${this.settings.minFree} must stay free`,
    );
  }
}
