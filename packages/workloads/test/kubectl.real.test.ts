// kubectl, unchanged, on a cluster whose pods are local processes: what a person would type in the first ten minutes.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { inProcessTransport } from "@telltale/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { processRuntime, workloads } from "../src/index.ts";

const assets = assetsFor("packages/workloads: kubectl");
const run = promisify(execFile);

const deployment = (name: string, image: string, script: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image, command: ["sh", "-c", script] }] },
    },
  },
});

const ticking = (text: string) => `while :; do echo ${text}; sleep 0.2; done`;

describe.skipIf(assets === undefined)("kubectl on local processes", () => {
  const stop = new AbortController();
  let folder = "";
  let server: ApiServer;
  let running: Promise<void>;

  async function kubectl(...args: string[]): Promise<string> {
    const { stdout } = await run(join(assets ?? "", "kubectl"), ["--kubeconfig", join(folder, "kubeconfig"), ...args]);
    return stdout;
  }

  async function apply(object: object): Promise<void> {
    const file = join(folder, "manifest.json");
    await writeFile(file, JSON.stringify(object));
    await kubectl("apply", "-f", file);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "telltale-kubectl-"));
    const runtime = processRuntime();
    server = await startApiServer({ serviceAccounts: true, ...(runtime.access && { pods: runtime.access }) });
    await writeFile(join(folder, "kubeconfig"), server.kubeconfig());
    const transport = inProcessTransport(server.client);
    running = workloads({ transport, runtime, rootCertificate: server.ca() }).run(stop.signal);
    await kubectl("wait", "--for=create", "serviceaccount/default", "--timeout=30s");
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("a Deployment rolls out, changes, goes back and is scaled", async () => {
    await apply(deployment("web", "example.test/web:1", ticking("one")));
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=60s")).toContain("successfully rolled out");
    await apply(deployment("web", "example.test/web:2", ticking("two")));
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=60s")).toContain("successfully rolled out");
    expect(await kubectl("rollout", "history", "deployment/web")).toMatch(/1 .*\n2 /);
    await kubectl("rollout", "undo", "deployment/web");
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=60s")).toContain("successfully rolled out");
    expect(await kubectl("get", "deployment", "web", "-o", "jsonpath={..image}")).toBe("example.test/web:1");
    await kubectl("scale", "deployment/web", "--replicas=3");
    await kubectl("wait", "deployment/web", "--for=jsonpath={.status.availableReplicas}=3", "--timeout=60s");
    await kubectl("wait", "deployment/web", "--for=condition=Available", "--timeout=60s");
    expect(await kubectl("get", "deployment", "web")).toMatch(/web\s+3\/3\s+3\s+3/);
  });

  it("its pods can be read and entered", async () => {
    expect(await kubectl("logs", "deployment/web", "--tail=1")).toBe("one\n");
    expect(await kubectl("exec", "deployment/web", "--", "sh", "-c", "echo $HOSTNAME; exit 0")).toMatch(/^web-/);
    await expect(kubectl("exec", "deployment/web", "--", "sh", "-c", "exit 7")).rejects.toMatchObject({ code: 7 });
  });

  it("a Job completes, and its log stays", async () => {
    await kubectl("create", "job", "sum", "--image=any", "--", "sh", "-c", "echo $((20 + 22))");
    await kubectl("wait", "job/sum", "--for=condition=complete", "--timeout=60s");
    expect(await kubectl("logs", "job/sum")).toBe("42\n");
  });

  it("a program that crashes is started again, and the log of the run before can be read", async () => {
    await kubectl("run", "crash", "--image=any", "--command", "--", "sh", "-c", "echo before; exit 3");
    const why = "jsonpath={.status.containerStatuses[0].state.waiting.reason}=CrashLoopBackOff";
    await kubectl("wait", "pod/crash", `--for=${why}`, "--timeout=60s");
    expect(await kubectl("logs", "crash", "--previous")).toBe("before\n");
    const last = "jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}";
    expect(await kubectl("get", "pod", "crash", "-o", last)).toBe("3");
  });

  it("an unknown program says its name where a person looks", async () => {
    await kubectl("run", "typo", "--image=any", "--command", "--", "no-such-program");
    const why = "jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerError";
    await kubectl("wait", "pod/typo", `--for=${why}`, "--timeout=60s");
    expect(await kubectl("describe", "pod", "typo")).toContain("no-such-program");
  });

  it("what is deleted is gone, its processes too", async () => {
    const pods = await kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.name}");
    expect(pods.split(" ")).toHaveLength(3);
    await kubectl("delete", "deployment/web", "--timeout=60s");
    await kubectl("wait", "pods", "-l", "app=web", "--for=delete", "--timeout=60s");
    expect(await kubectl("get", "pods", "-l", "app=web", "-o", "name")).toBe("");
  });
});
