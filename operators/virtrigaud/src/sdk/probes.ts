// The HTTP port that Kubernetes asks: `/healthz` (is the process alive), `/readyz` (is it ready for calls) and `/health` (the
// same for people). `answer` decides, the server below it only carries.
import { createServer, type Server } from "node:http";
import type { Ms } from "@telltale/kinds";
import type { Health } from "./health.ts";

export interface Answer {
  readonly status: number;
  readonly type: "text/plain; charset=utf-8" | "application/json";
  readonly body: string;
}

const patience = { "/readyz": 5_000, "/health": 10_000 } as const satisfies Record<string, Ms>;

export async function answer(path: string, health: Health, version: string): Promise<Answer> {
  if (path === "/healthz") return plain(200, "ok\n");
  if (path !== "/readyz" && path !== "/health") return plain(404, "there are /healthz, /readyz and /health\n");
  const results = await health.results(patience[path]);
  const failed = results.filter(({ error }) => error !== undefined);
  const isWell = failed.length === 0 && !health.isStopping;
  if (path === "/readyz") {
    const lines = failed.map(({ name, error }) => `${name}: ${error}\n`).join("");
    return plain(isWell ? 200 : 503, isWell ? "ok\n" : `${health.isStopping ? "stopping\n" : ""}${lines}`);
  }
  const checks = results.map(({ name, error, at }) => {
    const checkedAt = new Date(at).toISOString();
    return [name, error === undefined ? { status: "ok", checkedAt } : { status: "failed", message: error, checkedAt }];
  });
  const status = isWell ? "healthy" : health.isStopping ? "stopping" : "unhealthy";
  const body = `${JSON.stringify({ status, version, checks: Object.fromEntries(checks) }, null, 2)}\n`;
  return { status: isWell ? 200 : 503, type: "application/json", body };
}

const plain = (status: number, body: string): Answer => ({ status, type: "text/plain; charset=utf-8", body });

export function probeServer(health: Health, version: string): Server {
  const limits = { requestTimeout: 5_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };
  return createServer(limits, (request, response) => {
    response.on("error", () => {}); // whoever asked is gone
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    void answer(path, health, version).then(({ status, type, body }) => {
      response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
      response.end(body);
    });
  });
}
