// What a person did not expect, as one line: what happened, and the way out. A stack trace helps nobody who did not write this.
import { ApiError, ConfigError, ConnectionError, TimeoutError } from "@telltale/client";

/** How a program ends. */
export const exit = { well: 0, failed: 1, usage: 2 } as const;

export class Problem extends Error {
  /** What to do about it. */
  readonly fix: string;
  readonly code: number;

  constructor(message: string, fix: string, code: number = exit.failed) {
    super(message);
    this.name = "Problem";
    this.fix = fix;
    this.code = code;
  }
}

/** Of a command line that cannot be meant. */
export const misused = (message: string, fix: string): Problem => new Problem(message, fix, exit.usage);

/** Any error, as a problem. `server`: where requests go, for those who have to look there. */
export function problemOf(error: unknown, server = "the cluster"): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ConfigError) return misconfigured(error);
  if (error instanceof ConnectionError) return unreached(error, server);
  if (error instanceof TimeoutError) {
    return new Problem(`${server} does not answer`, "check that it runs, and that this machine may reach it");
  }
  if (error instanceof ApiError) return refused(error);
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(firstLine(message) || "an error without words", "run it again with TELLTALE_DEBUG=1 to see where");
}

function misconfigured({ file, message }: ConfigError): Problem {
  if (file === "kubeconfig") {
    return new Problem(
      "no cluster is named: there is no kubeconfig",
      "start one with telltale up and export the KUBECONFIG that it prints, or name one with --kubeconfig",
    );
  }
  const at = message.lastIndexOf("; ");
  return new Problem(firstLine(message.slice(0, at)), firstLine(message.slice(at + 2)));
}

function unreached({ step, message }: ConnectionError, server: string): Problem {
  const why = firstLine(message);
  if (step === "credentials") return new Problem(why, "log in again, or choose another user in the kubeconfig");
  if (step === "tls") return new Problem(`${server}: ${why}`, "check the certificate-authority of the kubeconfig");
  return new Problem(
    `${server} does not answer (${why})`,
    "check that it runs, or choose another with --kubeconfig or --context",
  );
}

function refused({ code, request, status }: ApiError): Problem {
  const said = firstLine(status.message ?? "") || `${request}: ${code}`;
  if (code === 401) return new Problem(`the cluster does not know who asks: ${said}`, "log in again");
  if (code === 403) return new Problem(said, "ask for that right: kubectl auth can-i --list shows what there is");
  return new Problem(said, code >= 500 ? "try again; if it lasts, look at the server's log" : "correct what it names");
}

export const firstLine = (text: string): string => text.split("\n", 1)[0]?.trim() ?? "";
