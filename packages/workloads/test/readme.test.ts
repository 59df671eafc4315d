import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { cluster } from "./readme.example.ts";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

test("the README's example is the one that is checked here, and runs a real program", async () => {
  expect(await read("../README.md")).toContain(await read("./readme.example.ts"));
  const folder = await mkdtemp(join(tmpdir(), "telltale-readme-"));
  const stop = new AbortController();
  const kubeconfig = join(folder, "kubeconfig");
  const running = cluster(kubeconfig, stop.signal);
  try {
    await expect.poll(() => readFile(kubeconfig, "utf8").catch(() => ""), { timeout: 20_000 }).toContain("server:");
    const connection = await findConnection({ clock: systemClock, path: kubeconfig });
    const transport = httpTransport(connection);
    const client = createClient({ transport, clock: systemClock, random: systemRandom });
    const spec = { restartPolicy: "Never", containers: [{ name: "main", image: "any", command: ["echo", "hello"] }] };
    await expect
      .poll(
        () =>
          client.create(Pod, { metadata: { name: "p", namespace: "default" }, spec }).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
    const phase = () => client.get(Pod, "p", { namespace: "default" }).then(({ status }) => status?.phase);
    await expect.poll(phase, { timeout: 20_000 }).toBe("Succeeded");
    const log = await client.request({ method: "GET", path: "/api/v1/namespaces/default/pods/p/log" });
    expect(log.text).toBe("hello\n");
    await client.close();
  } finally {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
