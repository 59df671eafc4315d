// A real kube-apiserver as a target.
import type { IncomingMessage } from "node:http";
import { Agent, request as open } from "node:https";
import { sleep, systemClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { ControlPlane } from "../../../../tools/envtest/envtest.ts";
import type { Target, TargetAnswer, TargetRequest } from "./target.ts";

/** The user of the recordings: token, name, uid, groups. */
const benchToken = "benchtoken";
export const benchUser = `${benchToken},bench,1,system:masters`;

export function realTarget({ url, ca, etcd }: ControlPlane): Target & { close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, ca });
  return {
    host: new URL(url).host,
    token: benchToken,
    clock: systemClock,
    pass: (ms) => sleep(systemClock, ms as Ms),
    close: () => agent.destroy(),
    async request(request) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await send(agent, url, request);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          // The server may close a connection that it kept, at the moment when we use it again.
          const stale = code === "ECONNRESET" || code === "EPIPE";
          if (stale && attempt < 3 && (request.body?.length ?? 0) < 1e6) continue;
          return { status: 0, headers: {}, chunks: one(`connection: ${code ?? String(error)}`) };
        }
      }
    },
    async compact() {
      const post = async (path: string, body: object) => {
        const answer = await fetch(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`etcd answers ${answer.status}: ${await answer.text()}`);
        return (await answer.json()) as { header: { revision: string } };
      };
      const now = await post("/v3/kv/range", { key: Buffer.from("/").toString("base64") });
      await post("/v3/kv/compaction", { revision: now.header.revision, physical: true });
    },
  };
}

/** One request over TLS. */
export function send(
  agent: Agent,
  url: string,
  { method, path, headers, body, signal }: TargetRequest,
): Promise<TargetAnswer> {
  const { hostname, port } = new URL(url);
  const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, asHeader(value)]));
  return new Promise((resolve, reject) => {
    const options = { agent, method, hostname, port, path, headers: plain, timeout: 90_000 };
    const sent = open(signal === undefined ? options : { ...options, signal }, (answer) => {
      resolve({ status: answer.statusCode ?? 0, headers: headerLists(answer), chunks: untilCut(answer) });
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer for 90 s")));
    sent.on("error", reject);
    sent.end(body);
  });
}

const asHeader = (value: string | readonly string[]): string | string[] =>
  typeof value === "string" ? value : [...value];

function headerLists({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    lists[name] = [...(lists[name] ?? []), rawHeaders[i + 1] ?? ""];
  }
  return lists;
}

/** What came, also of an answer that is cut short. */
async function* untilCut(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) yield chunk as Uint8Array;
  } catch {
    // The step shows what there was.
  }
}

async function* one(text: string): AsyncGenerator<string> {
  yield text;
}
