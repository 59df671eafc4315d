// The program in this process, and what it said.
import { program } from "../src/program/program.ts";

export interface Told {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** What every container of a cluster is given. */
export const podEnv = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

/** Without a home, a kubeconfig or a screen, unless they are given. */
export async function told(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  signal = new AbortController().signal,
): Promise<Told> {
  const [out, err]: [string[], string[]] = [[], []];
  const keep = (lines: string[]) => ({ write: (text: string) => lines.push(text) });
  // No file of this name is anywhere: what the person at this machine has is none of a test's business.
  const clean = { KUBECONFIG: "/nowhere/kubeconfig", ...env };
  const code = await program({ argv, env: clean, stdout: keep(out), stderr: keep(err), signal });
  return { out: out.join(""), err: err.join(""), code };
}
