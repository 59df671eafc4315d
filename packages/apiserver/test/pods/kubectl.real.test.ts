// kubectl, unchanged, in pods whose commands are local programs.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tools/envtest/send.ts";
import { type ApiServer, type ExecOptions, type ExecSession, startApiServer } from "../../src/index.ts";
import { installed, Kubectl } from "../kubectl/client.ts";
import { start } from "../program.ts";
import { FakeAccess, Pipe } from "./fake-access.ts";
import { runs } from "./stage.ts";

/** Commands are programs of this machine. */
class LocalAccess extends FakeAccess {
  override async exec(_pod: unknown, { command = ["cat"], signal }: ExecOptions): Promise<ExecSession> {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { signal, killSignal: "SIGKILL" });
    const started = new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", reject);
    });
    await started;
    child.stdin.on("error", () => {});
    return {
      stdout: child.stdout,
      stderr: child.stderr,
      write: (chunk) => void (chunk === undefined ? child.stdin.end() : child.stdin.write(chunk)),
      ended: new Promise((resolve) => child.once("close", (code) => resolve({ exitCode: code ?? 137 }))),
    };
  }
}

const clients = installed();
const none = { version: "(none)", binary: "" };

for (const { version, binary } of clients.length === 0 ? [none] : clients) {
  const minor = Number(/^v1\.(\d+)/.exec(version)?.[1] ?? 0);
  describe.skipIf(binary === "")(`kubectl ${version} in pods`, () => {
    const access = new LocalAccess();
    const folder = mkdtempSync(join(tmpdir(), "telltale-pods-"));
    const program = createServer((request, response) => response.end(`answer to ${request.url}`));
    let server: ApiServer;
    let kubectl: Kubectl;

    beforeAll(async () => {
      server = await startApiServer({ pods: access });
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.kubeconfig());
      kubectl = new Kubectl(binary, { folder, kubeconfig });
      const call = (method: string, path: string, type: string, body: object) =>
        server.client({ method, path, headers: { "content-type": type }, body: JSON.stringify(body) });
      const pods = "/api/v1/namespaces/default/pods";
      const spec = { nodeName: "n", containers: [{ name: "main", image: "example.test/app:1" }] };
      await call("POST", pods, "application/json", { metadata: { name: "p" }, spec });
      await call("PATCH", `${pods}/p/status`, "application/merge-patch+json", { status: runs(["main"]) });
      await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
      access.addresses.set(8080, (program.address() as AddressInfo).port);
    });
    afterAll(async () => {
      await server?.stop();
      program.closeAllConnections();
      program.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it("shows a log, and the end of one", async () => {
      access.log = new Pipe().write("one\ntwo\n").end();
      expect(await kubectl.sh("kubectl logs p --tail=2 --timestamps")).toEqual({
        stdout: "one\ntwo\n",
        stderr: "",
        exit: 0,
      });
      expect(access.asked.at(-1)?.options).toMatchObject({ tailLines: 2, timestamps: true });
      const { stderr, exit } = await kubectl.sh("kubectl logs p --previous");
      expect([exit, stderr]).toEqual([
        1,
        'Error from server (BadRequest): previous terminated container "main" in pod "p" not found\n',
      ]);
    });

    it("follows a log to its end", async () => {
      const pipe = new Pipe();
      access.log = pipe;
      const following = start("sh", ["-c", `exec "${binary}" --kubeconfig "${join(folder, "kubeconfig")}" logs -f p`]);
      pipe.write("one\n");
      await until(
        "the first line",
        async () => following.output().stdout,
        (text) => text === "one\n",
        20_000,
      );
      pipe.write("two\n").end();
      await until(
        "the second line",
        async () => following.output().stdout,
        (text) => text === "one\ntwo\n",
        20_000,
      );
      expect((await following.stop()).stdout).toBe("one\ntwo\n");
    });

    // Older ones speak SPDY only, or first.
    describe.skipIf(minor < 31)("by WebSocket", () => {
      it("runs a command, and gives its outputs and its exit code on", async () => {
        expect(await kubectl.sh("kubectl exec p -- sh -c 'echo out; echo err >&2'")).toEqual({
          stdout: "out\n",
          stderr: "err\n",
          exit: 0,
        });
        const failed = await kubectl.sh("kubectl exec p -- sh -c 'exit 3'");
        expect([failed.exit, failed.stderr]).toEqual([3, "command terminated with exit code 3\n"]);
      });

      it("hands its input on, all of it", async () => {
        const stdin = "line\n".repeat(100_000);
        const { stdout, stderr, exit } = await kubectl.sh("kubectl exec -i p -- cat", { stdin });
        expect([exit, stderr, stdout.length]).toEqual([0, "", stdin.length]);
      });

      it("brings large outputs", async () => {
        const { stdout } = await kubectl.sh(
          "kubectl exec p -- sh -c 'head -c 20000000 /dev/zero | tr \"\\0\" x' | wc -c",
        );
        expect(stdout.trim()).toBe("20000000");
      });

      it("says what cannot be run", async () => {
        const { stderr, exit } = await kubectl.sh("kubectl exec p -- no-such-program");
        expect([exit, stderr]).toEqual([
          1,
          "error: Internal error occurred: error executing command in container: spawn no-such-program ENOENT\n",
        ]);
        expect((await kubectl.sh("kubectl exec p -c other -- true")).stderr).toContain(
          "container other is not valid for pod p",
        );
      });

      it("copies files", async () => {
        kubectl.file("there.txt", "hello");
        const target = join(folder, "copied.txt");
        expect(await kubectl.sh(`kubectl cp there.txt default/p:${target} && cat ${target}`)).toMatchObject({
          stdout: "hello",
          exit: 0,
        });
      });

      it("attaches", async () => {
        expect((await kubectl.sh("kubectl attach -i p", { stdin: "said" })).stdout).toContain("said");
      });
    });

    it("is told how else to reach a port, and reaches it", async () => {
      const { stderr, exit } = await kubectl.sh("kubectl port-forward p 0:8080");
      expect(exit).toBe(1);
      expect(stderr).toContain("kubectl forwards ports by SPDY, which is not served here");
      const raw = await kubectl.sh("kubectl get --raw /api/v1/namespaces/default/pods/p:8080/proxy/x?y=1");
      expect(raw).toEqual({ stdout: "answer to /x?y=1", stderr: "", exit: 0 });
    });
  });
}
