import { VirtualClock } from "@telltale/clock";
import { formatTime, plus } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { fakeRun } from "../test/fake-machine.ts";
import { execSource } from "./exec.ts";
import type { Exec } from "./kubeconfig.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const credential = (status: object) => ({ kind: "ExecCredential", apiVersion, status });

function plugin(print: (time: number, clock: VirtualClock) => object | string | Error, exec: Exec = {}) {
  const clock = new VirtualClock();
  const run = fakeRun((time) => print(time, clock));
  const source = execSource({
    exec: { apiVersion, command: "login", args: ["--x"], ...exec },
    file: "/f",
    field: "users[u].exec",
    run,
    env: { PATH: "/bin", A: "0" },
    clock,
    cluster: async () => ({ server: "https://host" }),
  });
  return { clock, run, source };
}

describe("a plugin", () => {
  it("is run with its arguments and variables, and told what is asked for", async () => {
    const { run, source } = plugin(() => credential({ token: "t" }), { env: [{ name: "A", value: "1" }] });
    expect(await source.get()).toEqual({ token: "t" });
    const [ran] = run.ran;
    expect(ran).toMatchObject({ command: "login", args: ["--x"], env: { PATH: "/bin", A: "1" } });
    expect(JSON.parse(ran?.env["KUBERNETES_EXEC_INFO"] ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion,
      spec: { interactive: false },
    });
  });

  it("is told of the cluster only where it asks", async () => {
    const { run, source } = plugin(() => credential({ token: "t" }), { provideClusterInfo: true });
    await source.get();
    expect(JSON.parse(run.ran[0]?.env["KUBERNETES_EXEC_INFO"] ?? "")).toMatchObject({
      spec: { cluster: { server: "https://host" } },
    });
  });

  it("runs once for all who ask at the same time, and again only after its answer has expired", async () => {
    const { clock, run, source } = plugin((time, clock) =>
      credential({ token: `t${time}`, expirationTimestamp: formatTime(plus(clock.now(), 60_000)) }),
    );
    const both = await Promise.all([source.get(), source.get()]);
    expect(both.map(({ token }) => token)).toEqual(["t1", "t1"]);
    clock.advance(59_000);
    expect((await source.get()).token).toBe("t1");
    clock.advance(1_000);
    expect((await source.get()).token).toBe("t2");
    expect(run.ran).toHaveLength(2);
  });

  it("runs again when its answer was not believed", async () => {
    const { source } = plugin((time) => credential({ token: `t${time}` }));
    expect((await source.get()).token).toBe("t1");
    source.forget();
    expect((await source.get()).token).toBe("t2");
  });

  it("may give a certificate", async () => {
    const { source } = plugin(() => credential({ clientCertificateData: "C", clientKeyData: "K" }));
    expect(await source.get()).toEqual({ cert: "C", key: "K" });
  });

  it("that does not end is killed, named, and run again for the next who asks", async () => {
    const clock = new VirtualClock();
    const signals: AbortSignal[] = [];
    const source = execSource({
      exec: { apiVersion, command: "login" },
      file: "/f",
      field: "users[u].exec",
      run: (_command, _args, _env, signal) => {
        signals.push(signal);
        if (signals.length === 1) return new Promise(() => {});
        return Promise.resolve({ code: 0, stdout: JSON.stringify(credential({ token: "t" })), stderr: "" });
      },
      env: {},
      clock,
      cluster: async () => ({}),
    });
    const first = Promise.all([source.get(), source.get()]);
    first.catch(() => {});
    await clock.settle(180_000);
    await expect(first).rejects.toThrow(
      /^\/f: users\[u\]\.exec: login did not end within 180 s, and was killed; run it by/,
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await source.get()).toEqual({ token: "t" });
    await clock.settle(600_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  const hint: Exec = { installHint: "brew install login" };
  it.each<[string, object | string | Error, Exec, RegExp]>([
    ["that is not there", new Error("ENOENT"), hint, /command: login cannot be run \(ENOENT\); .*brew install login$/],
    ["that fails", "not signed in", hint, /login ended with 1: not signed in; .*brew install login$/],
    ["that answers in another version", { ...credential({}), apiVersion: "v9" }, {}, /answered in v9, but/],
    ["that answers something else", { kind: "Pod" }, {}, /printed a Pod, not an ExecCredential/],
    ["that gives nothing", credential({}), {}, /neither a token nor a certificate/],
    ["that gives half a pair", credential({ clientCertificateData: "C" }), {}, /without its key/],
  ])("%s is named, with the way out", async (_name, print, exec, message) => {
    const { source } = plugin(() => print, exec);
    await expect(source.get()).rejects.toThrow(message);
    await expect(source.get()).rejects.toThrow(/^\/f: users\[u\]\.exec/);
  });
});
