// One operator, running: started with its flags, heard on stdout, weighed by the kernel's figures.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Peer } from "./peers.ts";
import { type Cores, type Usage, usage } from "./proc.ts";
import type { Stage } from "./stage.ts";

export interface Launch {
  readonly mode?: "widgets" | "shelves";
  readonly namespace?: string;
  /** Tell after so many reconciles. */
  readonly expect?: number;
  readonly kubeconfig?: string;
}

export class Operator {
  readonly pid: number;
  /** When it was started: on the harness's clock, and on the wall's. */
  readonly started = performance.now();
  readonly startedAt = Date.now();
  readonly #process: ChildProcess;
  readonly #log: string;
  readonly #lines: { readonly text: string; readonly at: number }[] = [];
  #ended: string | undefined;

  constructor(peer: Peer, stage: Stage, cores: Cores | undefined, launch: Launch) {
    const { mode = "widgets", namespace, expect, kubeconfig = stage.kubeconfig() } = launch;
    const args = [
      ...peer.args,
      `--kubeconfig=${kubeconfig}`,
      `--mode=${mode}`,
      "--workers=10",
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      ...(expect === undefined ? [] : [`--expect=${expect}`]),
    ];
    this.#log = join(stage.folder, `${peer.name}.log`);
    const log = openSync(this.#log, "a");
    const [program, all] =
      cores === undefined ? [peer.program, args] : ["taskset", ["-c", cores.operator, peer.program, ...args]];
    this.#process = spawn(program, all, { stdio: ["ignore", "pipe", log] });
    closeSync(log);
    this.pid = this.#process.pid ?? 0;
    this.#process.once("error", (error) => {
      this.#ended = error.message;
    });
    const abandon = () => this.#process.kill("SIGKILL");
    process.once("exit", abandon); // the harness failed: nothing of it stays behind
    this.#process.once("exit", (code, signal) => {
      process.off("exit", abandon);
      this.#ended ??= `it ended with ${code ?? signal}`;
    });
    if (this.#process.stdout !== null) {
      createInterface(this.#process.stdout).on("line", (text) => this.#lines.push({ text, at: performance.now() }));
    }
  }

  usage(): Usage {
    this.#alive();
    return usage(this.pid);
  }

  /** Waits for what it says on stdout, and gives back when it said so. */
  async says(what: RegExp, timeoutMs = 300_000): Promise<{ readonly text: string; readonly at: number }> {
    return this.until(`it says ${what}`, () => this.#lines.find(({ text }) => what.test(text)), timeoutMs);
  }

  /** How many reconciles there were, by its own word: nobody else can know. */
  async count(): Promise<number> {
    const before = this.#lines.length;
    this.#process.kill("SIGUSR2");
    const line = await this.until("it counts", () =>
      this.#lines.slice(before).find(({ text }) => /^count /.test(text)),
    );
    return Number(line.text.slice("count ".length));
  }

  /** Waits until `found` finds something, as long as the operator lives. */
  async until<T>(what: string, found: () => T | undefined, timeoutMs = 300_000): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const value = found();
      if (value !== undefined) return value;
      this.#alive();
      if (performance.now() > deadline) throw new Error(`not after ${timeoutMs / 1_000} s: ${what}; ${this.#tail()}`);
      await sleep(5);
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const patience = setTimeout(() => this.#process.kill("SIGKILL"), 5_000);
    await gone;
    clearTimeout(patience);
  }

  #alive(): void {
    if (this.#ended !== undefined) throw new Error(`the operator is gone: ${this.#ended}; ${this.#tail()}`);
  }

  #tail(): string {
    return `the end of its log:\n${readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-15).join("\n")}`;
  }
}
