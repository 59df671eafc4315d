// An operator's life on a server, as a person leads it: installed, run as its own account and with nothing more, looked at, taken away.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, discover, findConnection, httpTransport } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { parse, stringify } from "yaml";
import { applyAll, kindOf, removeAll } from "../src/install/apply.ts";
import type { Operator } from "../src/operators/operator.ts";
import { samplesOf } from "../src/operators/samples.ts";
import { podEnv, told } from "./told.ts";

export interface Life {
  readonly install: string;
  readonly uninstall: string;
  /** What was logged at warn or above. */
  readonly complaints: readonly string[];
  readonly tree: string;
  readonly why: string;
  /** What /readyz and /metrics answered. */
  readonly ready: string;
  readonly metrics: string;
  readonly code: number;
}

/** `isThere`: what the tree has to show of the sample before it is looked at more closely. */
export async function live(operator: Operator, kubeconfig: string, sample: string, isThere: RegExp): Promise<Life> {
  const folder = mkdtempSync(join(tmpdir(), "telltale-life-"));
  const with_ = (file: string) => ["--kubeconfig", file];
  const install = await told(["install", operator.name, ...with_(kubeconfig)]);
  if (install.code !== 0) throw new Error(install.err);
  const transport = httpTransport(await findConnection({ clock: systemClock, path: kubeconfig, env: {} }));
  const client = createClient({ transport, clock: systemClock, random: systemRandom });
  const account = operator.roles({ ...operator, settings: {}, webhooks: false })[0]?.metadata?.name ?? "";
  const path = `/api/v1/namespaces/${operator.namespace}/serviceaccounts/${account}/token`;
  const answer = await client.request({
    method: "POST",
    path,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
  });
  const { status } = JSON.parse(answer.text) as { status: { token: string } };
  const own = join(folder, "kubeconfig");
  writeFileSync(own, accountOf(readFileSync(kubeconfig, "utf8"), status.token));

  const port = 20_000 + Math.floor(systemRandom.next() * 20_000);
  const stop = new AbortController();
  const argv = ["run", "--operators", operator.name, "--port", String(port), ...with_(own)];
  const running = told(argv, podEnv, stop.signal);
  const objects = (await samplesOf(operator)).filter(({ file }) => file === sample).map(({ object }) => object);
  try {
    await applyAll(objects, { client, clock: systemClock, namespace: "default" });
    const tree = await until(async () => (await told(["tree", ...with_(kubeconfig)])).out, isThere, running);
    const { out: why } = await told(["why", ...with_(kubeconfig)]);
    const ask = async (what: string) => (await fetch(`http://127.0.0.1:${port}/${what}`)).text();
    const ready = await until(() => ask("readyz"), /^ok$/, running);
    const metrics = await ask("metrics");
    await removeAll(objects, { client, clock: systemClock, namespace: "default" });
    await gone(client, objects);
    stop.abort();
    const { out, code, err } = await running;
    const uninstall = await told(["uninstall", operator.name, "--crds", ...with_(kubeconfig)]);
    if (uninstall.code !== 0) throw new Error(uninstall.err);
    const complaints = [
      ...out.split("\n").filter((line) => /"level":"(warn|error)"/.test(line)),
      ...(err === "" ? [] : [err]),
    ];
    return { install: install.out, uninstall: uninstall.out, complaints, tree, why, ready, metrics, code };
  } finally {
    stop.abort();
    await running;
    await transport.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same cluster, with a token in place of who was there. */
export function accountOf(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig) as { users: readonly { name: string }[] };
  return stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) });
}

async function until(
  look: () => Promise<string>,
  is: RegExp,
  running: Promise<{ err: string; out: string }>,
): Promise<string> {
  let ended: { err: string; out: string } | undefined;
  void running.then((it) => {
    ended = it;
  });
  for (let tries = 0; tries < 150; tries += 1) {
    const seen = await look();
    if (is.test(seen)) return seen;
    if (ended !== undefined) throw new Error(`it ended: ${ended.err}${ended.out}`);
    await sleep(systemClock, 200);
  }
  throw new Error(`it did not come to ${is}: ${await look()}`);
}

/** Until their finalizers have let them go. */
async function gone(client: ReturnType<typeof createClient>, objects: readonly KubeObject[]): Promise<void> {
  const known = await discover(client);
  for (const object of objects) {
    const kind = kindOf(known, object);
    if (kind === undefined) continue;
    for (let tries = 0; ; tries += 1) {
      const { items } = await client.list(kind);
      if (!items.some(({ metadata }) => metadata?.name === object.metadata?.name)) break;
      if (tries > 100) throw new Error(`${object.kind} ${object.metadata?.name} does not go: ${JSON.stringify(items)}`);
      await sleep(systemClock, 200);
    }
  }
}
