// One kubectl, pointed at a server, and the commands of a person in a folder of their own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { assetsFor, findAssets } from "../../../../tools/envtest/envtest.ts";
import { until } from "../../../../tools/envtest/send.ts";
import { type Ended, type Program, run, start } from "../program.ts";

/** The clients that are on this machine: the built one, and one on the path. Where there is none, one line says so. */
export function installed(): { readonly version: string; readonly binary: string }[] {
  const path = onPath();
  const assets = path.length === 0 ? assetsFor("kubectl") : findAssets();
  const found = [...(assets === undefined ? [] : [join(assets, "kubectl")]), ...path];
  return found.flatMap((binary) => {
    const { stdout, status } = spawnSync(binary, ["version", "--client", "-o", "json"], { encoding: "utf8" });
    if (status !== 0) return [];
    const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
    return [{ version: clientVersion.gitVersion, binary }];
  });
}

export interface Command {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stdin?: string | undefined;
}

export class Kubectl {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(binary: string, server: Pick<Program, "folder" | "kubeconfig">) {
    const home = mkdtempSync(join(server.folder, "home-"));
    const bin = join(home, "bin");
    this.#folder = join(home, "work");
    mkdirSync(bin);
    mkdirSync(this.#folder);
    symlinkSync(binary, join(bin, "kubectl"));
    const path = [bin, process.env["PATH"] ?? ""].join(delimiter);
    this.#env = { ...process.env, HOME: home, KUBECONFIG: server.kubeconfig, PATH: path };
  }

  file(name: string, text: string): void {
    writeFileSync(join(this.#folder, name), text);
  }

  /** A command as typed in a shell. */
  sh(command: string, { env, stdin }: Command = {}): Promise<Ended> {
    const options = { env: { ...this.#env, ...env }, cwd: this.#folder };
    return run("sh", ["-c", command], stdin === undefined ? options : { ...options, stdin });
  }

  /**
   * A command that watches: when its watch is open, the other commands are run; when `enough` says so, it is stopped if it
   * has not ended. Its log of requests is taken out of stderr.
   */
  async watching(command: string, meanwhile: readonly string[], enough: (stdout: string) => boolean): Promise<Ended> {
    const watch = start("sh", ["-c", `exec ${command} -v=6`], { env: this.#env, cwd: this.#folder });
    try {
      const log = async () => watch.output().stderr;
      await until(
        "an open watch",
        log,
        (text) => /watch=true\S* .*200 OK|watch=true\S*" status="200 OK"/.test(text),
        10_000,
      );
      for (const other of meanwhile) {
        const { exit, stderr } = await this.sh(other);
        if (exit !== 0) throw new Error(`${other}: ${stderr}`);
      }
      await until("its output", async () => watch.output().stdout, enough, 10_000);
    } finally {
      await watch.stop();
    }
    const { stdout, stderr, exit } = await watch.stop();
    const told = stderr.split("\n").filter((line) => !/^[IW]\d{4} /.test(line));
    return { stdout, stderr: told.join("\n"), exit };
  }
}

function onPath(): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders
    .map((folder) => join(folder, "kubectl"))
    .find((file) => spawnSync(file, ["version", "--client"]).status === 0);
  return found === undefined ? [] : [found];
}
