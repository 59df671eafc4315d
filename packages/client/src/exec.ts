// Credentials from a program: `ExecCredential` of client.authentication.k8s.io, v1 and v1beta1.
import type { Clock } from "@telltale/clock";
import { type Instant, parseTime } from "@telltale/kinds";
import { ConfigError, type Env, type Run } from "./connection.ts";
import type { Exec } from "./kubeconfig.ts";
import { Deadline } from "./wait.ts";

/** What a plugin gives: a token, a certificate, or both. */
export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly expires?: Instant;
}

export interface ExecOptions {
  readonly exec: Exec;
  /** For messages. */
  readonly file: string;
  readonly field: string;
  readonly run: Run;
  readonly env: Env;
  readonly clock: Clock;
  /** What the plugin is told of the cluster, where it asks. */
  cluster(): Promise<object>;
}

export interface ExecSource {
  get(): ExecCredential | Promise<ExecCredential>;
  forget(): void;
}

/** For a run of a plugin: as long as those wait that open a browser. */
const timeoutMs = 180_000;

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** Runs the plugin when there is nothing valid in memory, once for all who wait. */
export function execSource(options: ExecOptions): ExecSource {
  checkExec(options);
  let last: ExecCredential | undefined;
  let running: Promise<ExecCredential> | undefined;
  const fresh = async () => {
    try {
      last = await runPlugin(options);
      return last;
    } finally {
      running = undefined;
    }
  };
  return {
    get() {
      const valid = last !== undefined && (last.expires === undefined || options.clock.now() < last.expires);
      if (last !== undefined && valid) return last;
      running ??= fresh();
      return running;
    },
    forget() {
      last = undefined;
    },
  };
}

function checkExec({ exec, file, field }: ExecOptions): void {
  if (!exec.command) throw new ConfigError(file, `${field}.command`, "it is missing", "name the plugin to run");
  if (!versions.includes(exec.apiVersion ?? "")) {
    const problem = exec.apiVersion === undefined ? "it is missing" : `${exec.apiVersion} is not known here`;
    throw new ConfigError(file, `${field}.apiVersion`, problem, `use one of ${versions.join(", ")}`);
  }
  if (exec.interactiveMode === "Always") {
    const fix = "use a plugin that needs no terminal, or set IfAvailable";
    throw new ConfigError(file, `${field}.interactiveMode`, "Always wants a person at a terminal", fix);
  }
}

async function runPlugin(options: ExecOptions): Promise<ExecCredential> {
  const { exec, file, field, run, env, clock } = options;
  const spec = {
    ...(exec.provideClusterInfo === true ? { cluster: await options.cluster() } : {}),
    interactive: false,
  };
  const told = JSON.stringify({ kind: "ExecCredential", apiVersion: exec.apiVersion, spec });
  const added = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  const command = exec.command ?? "";
  const hint = exec.installHint ? `; ${exec.installHint.trim()}` : "";
  let result: Awaited<ReturnType<Run>>;
  const deadline = new Deadline(undefined).within(clock, timeoutMs, () => {
    const problem = `${command} did not end within ${timeoutMs / 1000} s, and was killed`;
    return new ConfigError(file, field, problem, `run it by hand, with < /dev/null, to see what it waits for${hint}`);
  });
  try {
    const ending = run(command, exec.args ?? [], { ...env, ...added, KUBERNETES_EXEC_INFO: told }, deadline.signal);
    result = await deadline.unless(ending);
  } catch (cause) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    const problem = `${command} cannot be run (${(cause as Error).message})`;
    throw new ConfigError(file, `${field}.command`, problem, `install it, or correct the path${hint}`, { cause });
  } finally {
    deadline.done();
  }
  if (result.code !== 0) {
    const said = result.stderr.trim().slice(-500) || "it said nothing";
    const problem = `${command} ended with ${result.code}: ${said}`;
    throw new ConfigError(file, field, problem, `run it by hand to see why${hint}`);
  }
  return parseExecCredential(result.stdout, options);
}

/** The plugin's answer, checked. */
export function parseExecCredential(text: string, { exec, file, field }: Pick<ExecOptions, "exec" | "file" | "field">) {
  const refuse = (problem: string): never => {
    throw new ConfigError(file, field, `${exec.command} ${problem}`, "update the plugin, or run it by hand to see why");
  };
  const answer = parseAnswer(text) ?? refuse("did not print an ExecCredential in JSON");
  if (answer.kind !== "ExecCredential")
    refuse(`printed a ${answer.kind ?? "value without kind"}, not an ExecCredential`);
  if (answer.apiVersion !== exec.apiVersion) {
    refuse(`answered in ${answer.apiVersion}, but ${exec.apiVersion} was asked for`);
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {};
  if (!token && !cert) refuse("gave neither a token nor a certificate");
  if ((cert === undefined) !== (key === undefined)) refuse("gave a certificate without its key, or a key alone");
  const expires = parseTime(expirationTimestamp);
  const credential: ExecCredential = {
    ...(token ? { token } : {}),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(expires === undefined ? {} : { expires }),
  };
  return credential;
}

interface PluginAnswer {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

function parseAnswer(text: string): PluginAnswer | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
