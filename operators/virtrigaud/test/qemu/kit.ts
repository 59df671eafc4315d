// What the real tests of the QEMU provider share: a state directory, images, and an end of everything that a test has started.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MessageInitShape, create as message } from "@bufbuild/protobuf";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { type Answer, type Method, type Request, service } from "../../src/contract/contract.ts";
import type { RpcError } from "../../src/contract/rpc-error.ts";
import { bootImage } from "../../src/local-pods/boot-image.ts";
import { type Host, systemHost } from "../../src/qemu/host.ts";
import { withArguments } from "../../src/qemu/processes.ts";
import { openProvider, type QemuProvider } from "../../src/qemu/provider.ts";
import { defaults, type Settings } from "../../src/qemu/settings.ts";

export class Kit {
  /** Short: sockets are in it. */
  readonly folder = mkdtempSync(join(tmpdir(), "tq-"));
  readonly state: string;
  readonly images = join(this.folder, "i");
  readonly storage = join(this.folder, "m");
  provider: QemuProvider | undefined;

  constructor(state = "s") {
    this.state = join(this.folder, state);
    for (const folder of [this.images, this.storage]) mkdirSync(folder);
    bootImage(join(this.images, "boot.raw"));
    bootImage(join(this.images, "stubborn.raw"), { isStubborn: true });
  }

  settings(more: Partial<Settings> = {}): Settings {
    return {
      ...defaults,
      stateDir: this.state,
      imageDirs: [this.images],
      storageDir: this.storage,
      minFree: 2 ** 20,
      syncTransfers: false,
      shortDir: tmpdir(),
      version: "test",
      ...more,
    };
  }

  /** A provider in this process; one that was there before is let go. */
  async open(more: Partial<Settings> = {}, host: Host = systemHost(systemClock, systemRandom)): Promise<QemuProvider> {
    this.provider?.stop();
    this.provider = undefined;
    const loopback = () => Promise.resolve([{ address: "127.0.0.1", family: 4 as const }]);
    this.provider = await openProvider(host, this.settings(more), loopback);
    return this.provider;
  }

  async ask<M extends Method>(method: M, request: Request<M>): Promise<Answer<M>> {
    if (this.provider === undefined) throw new Error("the provider is not open");
    return askProvider(this.provider, method, request);
  }

  /** Makes a machine and waits until it is there. */
  async make(name: string, more: Partial<Machinery> = {}): Promise<string> {
    const { id, task } = await this.ask(
      "create",
      createRequest(name, { image: join(this.images, "boot.raw"), ...more }),
    );
    await this.done(task?.id);
    return id;
  }

  /** Waits for a task's end; its error where it has one. */
  async done(task: string | undefined): Promise<string> {
    if (task === undefined || task === "") return "";
    let error = "";
    await until(`task ${task} ends`, async () => {
      const status = await this.ask("taskStatus", { task: { id: task } });
      error = status.error;
      return status.done;
    });
    return error;
  }

  serial(id: string): string {
    return readFileSync(join(this.state, "vms", id, "run", "serial.log"), "latin1");
  }

  /** QEMU processes of this state directory, counted by what they were started with. */
  async processes(id: string): Promise<number> {
    const found = await withArguments(["-pidfile", join(this.state, "vms", id, "run", "qemu.pid")]);
    return found.length;
  }

  async close(): Promise<void> {
    const list = this.provider === undefined ? { vms: [] } : await this.ask("listVMs", {});
    for (const { id } of list.vms) await this.ask("power", { id, op: 2 }).catch(() => undefined);
    this.provider?.stop();
    for (const { pid } of await withArguments(["-display", "none"])) {
      const argv = readFileSync(`/proc/${pid}/cmdline`, "latin1");
      if (argv.includes(this.folder)) process.kill(pid, "SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface Machinery {
  readonly image: string;
  readonly format: string;
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly hotAdd: boolean;
  readonly rootGiB: number;
  readonly thick: boolean;
  readonly networks: readonly object[];
  readonly disks: readonly object[];
  readonly requestId: string;
  readonly userData: string;
}

export function createRequest(name: string, given: Partial<Machinery>): Request<"create"> {
  const { image = "", format = "raw", cpu = 1, memoryMiB = 32, hotAdd = false, rootGiB, thick = false } = given;
  return {
    name,
    requestId: given.requestId ?? "",
    userData: new TextEncoder().encode(given.userData ?? ""),
    classJson: JSON.stringify({
      CPU: cpu,
      MemoryMiB: memoryMiB,
      Firmware: "BIOS",
      DiskDefaults: rootGiB === undefined && !thick ? null : { Type: thick ? "thick" : "thin", SizeGiB: rootGiB ?? 0 },
      PerformanceProfile: hotAdd ? { CPUHotAddEnabled: true, MemoryHotAddEnabled: true } : null,
    }),
    imageJson: JSON.stringify({ Path: image, Format: format }),
    networksJson: JSON.stringify(given.networks ?? []),
    disksJson: JSON.stringify(given.disks ?? []),
  };
}

/** Asks as a caller over the wire would: with complete messages. */
export async function askProvider<M extends Method>(
  provider: QemuProvider,
  method: M,
  request: Request<M>,
): Promise<Answer<M>> {
  const { input, output } = service.method[method];
  const handler = provider.handlers[method] as (request: unknown, context: object) => Promise<object>;
  const reply = await handler(message(input, request as MessageInitShape<typeof input>), {
    signal: new AbortController().signal,
  });
  return message(output, reply as MessageInitShape<typeof output>) as unknown as Answer<M>;
}

/** What a call is refused with. */
export async function refused(promise: Promise<unknown>): Promise<RpcError> {
  try {
    await promise;
  } catch (error) {
    return error as RpcError;
  }
  throw new Error("it was not refused");
}

/** Looks again and again, and says what it waited for when it gives up. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limit = 60_000): Promise<void> {
  const end = systemClock.uptime() + limit;
  while (!(await holds())) {
    if (systemClock.uptime() > end) throw new Error(`waited in vain: ${what}`);
    await sleep(systemClock, 50);
  }
}
