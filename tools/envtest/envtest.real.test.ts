import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "./assets.ts";
import { type ControlPlane, get, startControlPlane } from "./control-plane.ts";
import { send } from "./send.ts";

const assets = assetsFor("tools/envtest");

describe.skipIf(assets === undefined)("a real control plane", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ assets: assets ?? "" });
  });
  afterAll(() => plane?.stop());

  test("is ready, and says its version", async () => {
    expect(await get(`${plane.url}/readyz`, plane)).toEqual({ status: 200, body: "ok" });
    const version = await get(`${plane.url}/version`, plane);
    expect(version.status).toBe(200);
    expect(JSON.parse(version.body)).toMatchObject({ platform: expect.stringContaining("/") });
  });

  test("refuses a wrong token", async () => {
    expect(await get(`${plane.url}/api/v1/namespaces`, { ...plane, token: "wrong" })).toMatchObject({ status: 401 });
  });

  test("its kubeconfig is kubectl's way in, as an administrator", () => {
    const kubectl = (...args: string[]) =>
      execFileSync(join(assets ?? "", "kubectl"), ["--kubeconfig", plane.kubeconfig, ...args], { encoding: "utf8" });
    expect(kubectl("auth", "can-i", "*", "*")).toContain("yes");
    kubectl("create", "configmap", "one", "--from-literal=a=b");
    expect(kubectl("get", "configmap", "one", "--output=jsonpath={.data.a}")).toBe("b");
  });

  test("stop ends it and leaves nothing behind", async () => {
    const folder = dirname(plane.kubeconfig);
    expect(existsSync(folder)).toBe(true);
    await plane.stop();
    expect(existsSync(folder)).toBe(false);
    await expect(get(`${plane.url}/readyz`, plane)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe.skipIf(assets === undefined)("a control plane with a folder for its data", () => {
  let data: string;
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), "telltale-envtest-data-"));
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  test("has what was written after a restart, at the same address, and what the folder holds after a new start", async () => {
    const kept = `/api/v1/namespaces/kept`;
    const first = await startControlPlane({ assets: assets ?? "", data });
    try {
      await send(first, "POST", "/api/v1/namespaces", { metadata: { name: "kept" } });
      const before = first.pids();
      await first.restart();
      expect(first.pids().etcd).toBe(before.etcd);
      expect(first.pids().apiserver).not.toBe(before.apiserver);
      expect(await send(first, "GET", kept)).toMatchObject({ status: 200 });
    } finally {
      await first.stop();
    }
    const second = await startControlPlane({ assets: assets ?? "", data });
    try {
      expect(await send(second, "GET", kept)).toMatchObject({ status: 200 });
    } finally {
      await second.stop();
    }
  });
});

describe.skipIf(assets === undefined)("a control plane that does not come up", () => {
  test("says why, with the end of the log", async () => {
    const started = startControlPlane({ assets: assets ?? "", apiserverFlags: ["--no-such-flag"] });
    await expect(started).rejects.toThrow(
      /kube-apiserver ended with 1; the end of its log:[\s\S]*unknown flag: --no-such-flag/,
    );
  });

  test("names the program that is not there", async () => {
    await expect(startControlPlane({ assets: "no-such-folder" })).rejects.toThrow(/etcd did not start: .*ENOENT/);
  });
});
