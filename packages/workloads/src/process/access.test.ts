// What a person asks of a pod that runs.
import { turn } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { afterEach, describe, expect, it, vi } from "vitest";
import { driverPool, eventually, isAlive, must, podOf, script, textOf } from "../../test/process/driver.ts";
import type { ExecOptions } from "../kubelet/pod-runtime.ts";

vi.setConfig({ testTimeout: 60_000 });
const { drive, clean } = driverPool();
afterEach(clean);

const exec = (options: Partial<ExecOptions> = {}): ExecOptions => ({
  container: "main",
  stdin: false,
  stdout: true,
  stderr: true,
  tty: false,
  signal: new AbortController().signal,
  ...options,
});

describe("a command in a container", () => {
  it("has its environment, its paths and its own exit code", async () => {
    const driver = await drive();
    driver.configMaps.set("c", { data: { k: "value" } });
    const pod = podOf(
      [
        script("sleep 600", {
          env: [{ name: "A", value: "1" }],
          workingDir: "/srv",
          volumeMounts: [{ name: "c", mountPath: "/etc/c" }],
        }),
      ],
      { volumes: [{ name: "c", configMap: { name: "c" } }] },
    );
    await driver.apply(pod);
    const command = ["sh", "-c", 'echo "$A $(cat /etc/c/k)"; pwd; echo problem >&2; exit 5'];
    const session = await must(driver.runtime.access).exec(pod, exec({ command }));
    const [out, err, { exitCode }] = await Promise.all([textOf(session.stdout), textOf(session.stderr), session.ended]);
    expect(out).toMatch(/^1 value\n.*\/rootfs\/srv\n$/);
    expect([err, exitCode]).toEqual(["problem\n", 5]);
  });

  it("reads what is written to it", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600")]);
    await driver.apply(pod);
    const session = await must(driver.runtime.access).exec(pod, exec({ command: ["cat"], stdin: true }));
    session.write(Buffer.from("one "));
    session.write(Buffer.from("two"));
    session.write(undefined);
    expect(await textOf(session.stdout)).toBe("one two");
    expect(await session.ended).toEqual({ exitCode: 0 });
  });

  it("has one stream where a terminal was asked for", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600")]);
    await driver.apply(pod);
    const command = ["sh", "-c", "echo out; echo err >&2"];
    const session = await must(driver.runtime.access).exec(pod, exec({ command, tty: true, stderr: false }));
    expect((await textOf(session.stdout)).split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("ends when nobody wants it any more, and with its container", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600")]);
    await driver.apply(pod);
    const abort = new AbortController();
    const command = ["sh", "-c", "sleep 600 & echo $!; wait"];
    const start = async (signal: AbortSignal) => {
      const session = await must(driver.runtime.access).exec(pod, exec({ command, signal }));
      for await (const chunk of session.stdout) return { session, pid: Number(Buffer.from(chunk).toString()) };
      throw new Error("it said nothing");
    };
    const first = await start(abort.signal);
    const second = await start(new AbortController().signal);
    expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([true, true]);
    abort.abort();
    expect(await first.session.ended).toEqual({ exitCode: 137 });
    await eventually(() => !isAlive(first.pid));
    expect(isAlive(second.pid)).toBe(true);
    await driver.runtime.drop(must(pod.metadata?.uid));
    await eventually(() => !isAlive(second.pid));
  });

  it("that is unknown, or in a container that does not run, is an error", async () => {
    const driver = await drive();
    const pod = podOf([script("sleep 600"), { command: ["no-such-program"] }]);
    await driver.apply(pod);
    const access = must(driver.runtime.access);
    await expect(access.exec(pod, exec({ command: ["nope"] }))).rejects.toThrow(
      'exec: "nope": executable file not found',
    );
    await expect(access.exec(pod, exec({ container: "c1" }))).rejects.toThrow('container not found ("c1")');
    await expect(access.exec(pod, exec({ container: "c9" }))).rejects.toThrow('container "c9" in pod');
  });
});

describe("attaching to a container", () => {
  it("shows what it says from now on, and takes its input", async () => {
    const driver = await drive();
    const pod = podOf(
      [script('while read line; do echo "got $line"; done; exit 3', { stdin: true, stdinOnce: true })],
      {
        restartPolicy: "Never",
      },
    );
    await driver.apply(pod);
    const session = await must(driver.runtime.access).exec(pod, exec({ stdin: true }));
    session.write(Buffer.from("a\nb\n"));
    session.write(undefined);
    expect(await textOf(session.stdout)).toBe("got a\ngot b\n");
    expect(await session.ended).toEqual({ exitCode: 3 });
  });
});

describe("the log of a container", () => {
  it("is followed to its end", async () => {
    const driver = await drive();
    const pod = podOf([script("echo one; read line; echo $line", { stdin: true, stdinOnce: true })], {
      restartPolicy: "Never",
    });
    await driver.apply(pod);
    const { signal } = new AbortController();
    const options = { container: "main", follow: true, previous: false, timestamps: false, signal };
    const access = must(driver.runtime.access);
    let text = "";
    const reading = (async () => {
      for await (const chunk of await access.logs(pod, options)) text += Buffer.from(chunk).toString();
    })();
    while (text !== "one\n") await turn();
    (await access.exec(pod, exec({ stdin: true }))).write(Buffer.from("two\n"));
    await reading;
    expect(text).toBe("one\ntwo\n");
  });

  it("has a tail, moments and a beginning", async () => {
    const driver = await drive();
    const pod = podOf([script("echo a; echo b; echo c")], { restartPolicy: "Never" });
    await driver.apply(pod);
    await driver.untilStates(pod, "terminated");
    expect(await driver.logs(pod, { tailLines: 1 })).toBe("c\n");
    expect(await driver.logs(pod, { tailLines: 1, timestamps: true })).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z c\n$/,
    );
    expect(await driver.logs(pod, { limitBytes: 3 })).toBe("a\nb");
    expect(await driver.logs(pod, { since: instant(Date.UTC(2999, 0, 1)) })).toBe("");
  });

  it("of a container that never ran is an error", async () => {
    const driver = await drive();
    const pod = podOf([{ command: ["no-such-program"] }]);
    await driver.apply(pod);
    await expect(driver.logs(pod)).rejects.toThrow(
      `container "main" in pod "${pod.metadata?.name}" is waiting to start: CreateContainerError`,
    );
    await expect(driver.logs(pod, { container: "other" })).rejects.toThrow("is not available");
  });
});
