// What is loaded: `/ok` answers, `/slow` after 150 ms, `/fail` with 500.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@telltale/clock";

export interface LoadTarget {
  readonly url: string;
  /** How many requests came, by path. */
  readonly seen: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startLoadTarget(host = "127.0.0.1"): Promise<LoadTarget> {
  const seen = new Map<string, number>();
  const server = createServer(({ url = "/" }, response) => {
    seen.set(url, (seen.get(url) ?? 0) + 1);
    if (url === "/slow") systemClock.after(150, () => response.end("slow"));
    else response.writeHead(url === "/fail" ? 500 : 200).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
