// `telltale up --real` and a machine that moves from one provider to another over a claim: both providers are pods of their Deployments,
// which are changed so that they mount the claim, and changed back when it is gone. Each holds its state alone, so that its old pod has to
// end before the new one can work.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, findConnection, httpTransport, isNotFound } from "@telltale/client";
import { systemClock as clock, systemRandom as random, sleep } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Deployment, PersistentVolumeClaim, Pod, Secret } from "@telltale/kinds/builtin";
import { findCondition } from "@telltale/status";
import { Provider, VirtualMachine, VMClass, VMImage, VMMigration } from "@telltale/virtrigaud";
import { expect, test } from "vitest";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { type Told, told } from "./told.ts";

const path = qemuFor("a migration over a claim between providers that are pods");
const namespace = "default";
const providers = ["left", "right"] as const;

test.skipIf(path === undefined)(
  "a machine moves over a claim that its providers' pods have to be replaced for",
  { timeout: 480_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tq-"));
    const stop = new AbortController();
    const argv = ["up", "--real", "--json", "--no-samples", "--operators", "virtrigaud", "--data", folder];
    const running = told(argv, { PATH: path ?? "" }, stop.signal);
    let over: Told | undefined;
    void running.then((it) => {
      over = it;
    });
    let client: Client | undefined;
    const until = async (what: string, holds: () => boolean | Promise<boolean>, limit = 150_000) => {
      const end = clock.uptime() + limit;
      while (!(await holds())) {
        if (over !== undefined) throw new Error(`telltale has ended: ${over.err}`);
        if (clock.uptime() > end) throw new Error(`it did not come to this: ${what}`);
        await sleep(clock, 200);
      }
    };
    try {
      const kubeconfig = join(folder, "kubeconfig");
      await until("there is a kubeconfig", () => existsSync(kubeconfig));
      const server = createClient({
        transport: httpTransport(await findConnection({ clock, path: kubeconfig, env: {} })),
        clock,
        random,
      });
      client = server;
      const get = async <T extends KubeObject>(kind: KindRef<T>, name: string): Promise<T | undefined> => {
        try {
          return await server.get(kind, name, { namespace });
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      };
      const create = (kind: KindRef, name: string, more: object) =>
        server.create(kind, {
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: { name, namespace },
          ...more,
        } as never);
      const isTrue = async (provider: string, type: string) =>
        findCondition((await get(Provider, provider))?.status?.conditions, type)?.status === "True";
      const deployment = (provider: string) => get(Deployment, `virtrigaud-provider-${namespace}-${provider}`);
      const claimsOf = async (provider: string) =>
        ((await deployment(provider))?.spec?.template.spec?.volumes ?? []).flatMap(
          ({ persistentVolumeClaim: it }) => it?.claimName ?? [],
        );
      const podsOf = async (provider: string) => {
        const { items } = await server.list(Pod, {
          namespace,
          labelSelector: `app.kubernetes.io/instance=${provider}`,
        });
        return items.map(({ metadata }) => metadata?.uid ?? "");
      };
      const isSettled = async (provider: string) =>
        (await isTrue(provider, "Ready")) && (await isTrue(provider, "RolloutComplete"));
      const vms = (provider: string) => join(folder, "virtrigaud/providers", namespace, provider, "vms");
      const diskOf = (provider: string, id: string): string => {
        const { root } = JSON.parse(readFileSync(join(vms(provider), id, "vm.json"), "utf8"));
        return join(vms(provider), id, "disks", root.layer === 0 ? "root.qcow2" : `base/${root.layer}-root.qcow2`);
      };
      const serial = (provider: string, id: string) =>
        readFileSync(join(vms(provider), id, "run/serial.log"), "latin1");

      await create(Secret, "credentials", { stringData: { username: "nobody" } });
      for (const name of providers) {
        await create(Provider, name, {
          spec: {
            type: "qemu",
            endpoint: "tcp://127.0.0.1:9443",
            credentialSecretRef: { name: "credentials" },
            healthCheck: { interval: "2s" },
            runtime: {
              image: "example/qemu-provider:dev",
              service: { tls: { enabled: false } },
              resources: { limits: { memory: "2Gi" } },
            },
          },
        });
      }
      await create(VMClass, "small", { spec: { cpu: 1, memory: "128Mi" } });
      const image = join(folder, "virtrigaud/images/boot.raw");
      await create(VMImage, "boot", { spec: { source: { libvirt: { path: image, format: "raw" } } } });
      await create(VirtualMachine, "web", {
        spec: {
          providerRef: { name: "left" },
          classRef: { name: "small" },
          imageRef: { name: "boot" },
          powerState: "On",
        },
      });
      await until("the machine runs", async () => (await get(VirtualMachine, "web"))?.status?.phase === "Running");
      const source = (await get(VirtualMachine, "web"))?.status?.id ?? "";
      await until("its guest has booted and written", () => serial("left", source).length > 3);
      for (const name of providers) await until(`provider ${name} is settled`, () => isSettled(name));
      const before = new Map<string, readonly string[]>();
      for (const name of providers) before.set(name, await podsOf(name));

      await create(VMMigration, "there", {
        spec: {
          source: { vmRef: { name: "web" }, powerOffBeforeMigration: true },
          target: { name: "web-2", providerRef: { name: "right" } },
          storage: { type: "pvc", pvc: { storageClassName: "standard", size: "1Gi" } },
        },
      });
      const migration = async () => (await get(VMMigration, "there"))?.status;
      await until(
        "the migration is past its checks",
        async () => !["", "Pending", "Validating"].includes((await migration())?.phase ?? ""),
        240_000,
      );
      // The claim is in both Deployments, and in pods that took the place of those before.
      for (const name of providers) {
        expect(await claimsOf(name)).toEqual(["there-storage"]);
        expect((await deployment(name))?.spec?.strategy).toEqual({ type: "Recreate" });
        const pods = await podsOf(name);
        expect(pods).toHaveLength(1);
        expect(before.get(name)).not.toContain(pods[0]);
        expect(await isTrue(name, "RolloutComplete")).toBe(true);
      }
      await until(
        "the migration is through",
        async () => ["Ready", "Failed"].includes((await migration())?.phase ?? ""),
        240_000,
      );
      expect(await migration()).toMatchObject({
        phase: "Ready",
        validationResults: { diskSizeMatch: true, checksumMatch: true },
      });
      await until("it has put all in order", async () => (await migration())?.storageInfo?.cleanedUp === true);
      await until("the claim is gone", async () => (await get(PersistentVolumeClaim, "there-storage")) === undefined);
      for (const name of providers)
        await until(`${name} mounts it no more`, async () => (await claimsOf(name)).length === 0);
      for (const name of providers) await until(`provider ${name} is settled`, () => isSettled(name));

      const target = (await get(VirtualMachine, "web-2"))?.status?.id ?? "";
      expect(readdirSync(vms("right"))).toEqual([target]);
      // Both are off: the source stays so, and the target was made so.
      expect((await get(VirtualMachine, "web"))?.spec.powerState).toBe("Off");
      const compared = ["compare", "-f", "qcow2", "-F", "qcow2", diskOf("left", source), diskOf("right", target)];
      expect(execFileSync("qemu-img", compared, { env: { PATH: path ?? "" }, encoding: "utf8" })).toContain(
        "identical",
      );
      await server.patch(VirtualMachine, { namespace, name: "web-2" }, { merge: { spec: { powerState: "On" } } });
      await until(
        "its guest boots",
        () => existsSync(join(vms("right"), target, "run/serial.log")) && serial("right", target).startsWith("B"),
      );
    } finally {
      await client?.close();
      stop.abort();
      expect(await running).toMatchObject({ code: 0 });
    }
    rmSync(folder, { recursive: true });
  },
);
