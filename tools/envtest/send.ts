// One request to a control plane, and waiting for an answer: what a suite needs where the client package is not yet there.
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "./control-plane.ts";

export interface Answer {
  readonly status: number;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
  /** The texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

type Way = Pick<ControlPlane, "url" | "token" | "ca">;

export function send(plane: Way, method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `Bearer ${plane.token}`, accept: "application/json" };
  if (body !== undefined) headers["content-type"] = type ?? "application/json";
  return new Promise((resolve, reject) => {
    const sent = request(
      `${plane.url}${path}`,
      { method, ca: plane.ca, agent: false, timeout: 30_000, headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("error", reject);
        answer.once("end", () => {
          const warnings = String(answer.headers["warning"] ?? "");
          resolve({
            status: answer.statusCode ?? 0,
            body: parsed(Buffer.concat(chunks).toString()),
            warnings: [...warnings.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? ""),
          });
        });
      },
    );
    sent.once("timeout", () => sent.destroy(new Error(`no answer to ${method} ${path} in 30 s`)));
    sent.once("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks again until the answer is the wanted one, and gives it back. `what` says what was waited for. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not after ${timeoutMs} ms; the last answer was ${JSON.stringify(answer)}`);
    }
    await sleep(50);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
