import { VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { fakeFiles } from "../test/fake-machine.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { findConnection } from "./system.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
const mounted = () => ({ [`${folder}/token`]: "one\n", [`${folder}/ca.crt`]: "CA1", [`${folder}/namespace`]: "web" });

describe("a pod's connection", () => {
  it("comes from its service account", async () => {
    const connection = await inClusterConnection({ files: fakeFiles(mounted()), env, clock: new VirtualClock() });
    expect([connection.server, connection.namespace]).toEqual(["https://10.0.0.1:443", "web"]);
    expect(await connection.identity()).toEqual({ authorization: "Bearer one" });
    expect(await connection.tls()).toEqual({ ca: "CA1" });
  });

  it("writes an IPv6 address as a URL wants it", async () => {
    const six = { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" };
    const connection = await inClusterConnection({ files: fakeFiles(mounted()), env: six, clock: new VirtualClock() });
    expect(connection.server).toBe("https://[fd00::1]:443");
  });

  it("follows the rotation of its token and of its authorities", async () => {
    const texts: Record<string, string> = mounted();
    const clock = new VirtualClock();
    const connection = await inClusterConnection({ files: fakeFiles(texts), env, clock });
    const before = await connection.tls();
    texts[`${folder}/token`] = "two";
    clock.advance(60_000);
    expect(await connection.identity()).toEqual({ authorization: "Bearer two" });
    expect(await connection.tls()).toBe(before);
    texts[`${folder}/ca.crt`] = "CA2";
    clock.advance(60_000);
    expect(await connection.tls()).toEqual({ ca: "CA2" });
  });

  it("follows it by the time that passes, not by the time of day", async () => {
    const texts: Record<string, string> = mounted();
    const clock = new VirtualClock();
    const connection = await inClusterConnection({ files: fakeFiles(texts), env, clock });
    await connection.identity();
    texts[`${folder}/token`] = "two";
    clock.jump(instant(clock.now() - 3_600_000));
    clock.advance(60_000);
    expect(await connection.identity()).toEqual({ authorization: "Bearer two" });
  });

  it.each([
    ["outside of a pod", {}, mounted(), "KUBERNETES_SERVICE_HOST: it is not set: this is no pod"],
    ["without a mounted token", env, {}, `${folder}/token: file: it does not exist; mount the service account`],
  ])("%s says why there is none", async (_name, env, texts, message) => {
    await expect(inClusterConnection({ files: fakeFiles(texts), env, clock: new VirtualClock() })).rejects.toThrow(
      message,
    );
  });
});

describe("to find a connection", () => {
  const kubeconfig = JSON.stringify({
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: "https://file" } }],
    contexts: [{ name: "c", context: { cluster: "c" } }],
  });
  const find = (texts: Record<string, string>, env: Record<string, string>) =>
    findConnection({ files: fakeFiles(texts), env, home: "/u", clock: new VirtualClock() });

  it("is to take the kubeconfig, and where there is none the pod's own cluster", async () => {
    expect((await find({ ...mounted(), "/u/.kube/config": kubeconfig }, env)).server).toBe("https://file");
    expect((await find(mounted(), env)).server).toBe("https://10.0.0.1:443");
    await expect(find({}, {})).rejects.toThrow("current-context: it is not set");
  });
});
