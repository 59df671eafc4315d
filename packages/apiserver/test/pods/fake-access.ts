// Pods that a test runs itself: it says what they write, and sees what is asked of them.
import type { Pod } from "@telltale/kinds/builtin";
import type { ExecOptions, ExecSession, LogOptions, PodAccess } from "../../src/index.ts";

/** What one side writes, by and by, and the other reads. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #isEnded = false;
  #wake = () => {};
  isLeft = false;

  write(text: string): this {
    this.#chunks.push(Buffer.from(text));
    this.#wake();
    return this;
  }

  end(): this {
    this.#isEnded = true;
    this.#wake();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#isEnded) return;
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.isLeft = true;
    }
  }
}

/** A command, as the test plays it. */
export class Command implements ExecSession {
  readonly options: ExecOptions;
  readonly stdout = new Pipe();
  readonly stderr = new Pipe();
  readonly input: (string | undefined)[] = [];
  readonly ended: Promise<{ readonly exitCode: number }>;
  exit: (exitCode: number) => void = () => {};
  heard: () => void = () => {};

  constructor(options: ExecOptions) {
    this.options = options;
    this.ended = new Promise((resolve) => {
      this.exit = (exitCode) => {
        this.stdout.end();
        this.stderr.end();
        resolve({ exitCode });
      };
    });
    options.signal.addEventListener("abort", () => this.exit(137));
  }

  write(chunk: Uint8Array | undefined): void {
    this.input.push(chunk === undefined ? undefined : Buffer.from(chunk).toString());
    this.heard();
  }
}

export class FakeAccess implements PodAccess {
  readonly asked: { readonly pod: string; readonly options: LogOptions | ExecOptions }[] = [];
  readonly addresses = new Map<number, number>();
  /** What the next log is. */
  log: AsyncIterable<Uint8Array> | Error = new Pipe().end();
  /** How the next command goes. */
  play: (command: Command) => void = (command) => command.exit(0);
  failure: Error | undefined;

  async logs(pod: Pod, options: LogOptions): Promise<AsyncIterable<Uint8Array>> {
    this.asked.push({ pod: pod.metadata?.name ?? "", options });
    if (this.log instanceof Error) throw this.log;
    return this.log;
  }

  async exec(pod: Pod, options: ExecOptions): Promise<ExecSession> {
    this.asked.push({ pod: pod.metadata?.name ?? "", options });
    if (this.failure !== undefined) throw this.failure;
    const command = new Command(options);
    this.play(command);
    return command;
  }

  address(_pod: Pod, port: number): { readonly host: string; readonly port: number } | undefined {
    const found = this.addresses.get(port);
    return found === undefined ? undefined : { host: "127.0.0.1", port: found };
  }
}
