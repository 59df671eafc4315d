// Virtrigaud as it is shipped, on a real kube-apiserver: first with nothing behind its objects, then with a provider of real QEMU, then
// with that one killed. What statuses, columns and Events say is read against the files and processes of the provider itself.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "@telltale/kinds";
import { Provider, VirtualMachine, VMSnapshot } from "@telltale/virtrigaud";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor } from "../../../tools/envtest/envtest.ts";
import { qemuFor } from "../../../tools/qemu/qemu.ts";
import { type ShippedOperator, startShipped } from "./shipped.ts";

const assets = assetsFor("virtrigaud as it is shipped");
const qemu = qemuFor("virtrigaud as it is shipped, with machines");
const program = fileURLToPath(new URL("../../../operators/virtrigaud/src/qemu/main.ts", import.meta.url));

const { apiVersion } = Provider;
const of = (kind: string, name: string, spec: object): KubeObject =>
  ({ apiVersion, kind, metadata: { name }, spec }) as KubeObject;
const refs = (imageRef: string) => ({
  providerRef: { name: "box" },
  classRef: { name: "small" },
  imageRef: { name: imageRef },
});

/** What is True of a spec alone, and of the past: it needs no provider. */
const ofTheSpec = [
  / Validated=True /,
  /^VMMigration default\/mover-to-next Validating=True SourceProviderNotReady: /,
  /^VMSet default\/fleet Progressing=True /,
];
const isClaim = (line: string): boolean => / \w+=True /.test(line) && !ofTheSpec.some((it) => it.test(line));

describe.skipIf(assets === undefined)("virtrigaud as it is shipped", () => {
  let it: ShippedOperator;
  const folder = mkdtempSync(join(tmpdir(), "tv-"));
  const state = join(folder, "state");
  let provider: ChildProcess | undefined;
  beforeAll(async () => {
    it = await startShipped({ assets: assets ?? "", operator: "virtrigaud" });
    await it.applySamples("machine.yaml", "fleet.yaml", "migration.yaml", "adoption.yaml");
    await it.apply(
      of("VMImage", "boot", { source: { libvirt: { path: join(folder, "images/boot.raw"), format: "raw" } } }),
      of("VirtualMachine", "real", { ...refs("boot"), networks: [{ name: "eth0", networkRef: { name: "nat" } }] }),
      of("VMSnapshot", "real-s1", { vmRef: { name: "real" } }),
      of("VMClone", "real-copy", { source: { vmRef: { name: "real" } }, target: { name: "real2" } }),
      of("VMPlacementPolicy", "anywhere", { soft: { networks: ["nat"] } }),
    );
  }, 300_000);
  afterAll(async () => {
    if (provider !== undefined) await end(provider);
    for (const pid of machineProcesses(state)) process.kill(pid, "SIGKILL");
    await it?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const says = async (who: string) => (await it.conditionLines()).filter((line) => line.startsWith(`${who} `));
  /** The cells of a column of kubectl, by name. */
  const column = (kind: string, head: string): Readonly<Record<string, string>> => {
    const [heads = "", ...rows] = it.kubectl("get", kind, "-o", "wide").trimEnd().split("\n");
    const start = heads.indexOf(head);
    const cell = (row: string) =>
      row
        .slice(start)
        .split(/ {2,}|$/)[0]
        ?.trim() ?? "";
    return Object.fromEntries(rows.map((row) => [row.split(" ")[0] ?? "", row[start] === " " ? "" : cell(row)]));
  };
  const statuses = async () => JSON.stringify((await it.objects()).map(({ status }) => status));

  test("with nothing behind its objects: nothing is ready, made, running or done", async () => {
    await it.until("the machines are looked at", (lines) =>
      lines.some((line) => / real Ready=|\/real Ready=/.test(line)),
    );
    const lines = await it.quiet();
    expect(lines.filter(isClaim)).toEqual([]);
    expect(lines.filter((line) => /phase=(?!Pending$|Validating$)/.test(line))).toEqual([]);
    const kinds = [
      "Provider default/box",
      "VMClass default/small",
      "VMNetworkAttachment default/nat",
      "VMImage default/boot",
    ];
    for (const who of [...kinds, "VirtualMachine default/real"])
      expect((await says(who)).filter((line) => line.includes(" Ready="))).toEqual([
        expect.stringContaining("Ready=Unknown "),
      ]);
    // A cause is only given where something was asked.
    expect(lines.filter((line) => /not there on its provider|still at work|Unsupported/.test(line))).toEqual([]);
    expect(await statuses()).not.toMatch(
      /"(availableOn|supportedProviders|capabilities|ips|powerState|taskRef|lastTaskRef)"/,
    );
    expect(await statuses()).not.toMatch(/"(available|ready|healthy)":true|"connectedVMs":[1-9]/);
    expect((await it.eventLines()).filter((line) => !/ValidationStarted| Service\//.test(line))).toEqual([]);
    expect(Object.values(column("vm", "READY"))).toEqual(Array(6).fill("Unknown"));
    expect(column("vmnet", "READY")).toEqual({ nat: "" });
    expect(column("vmset", "READY")).toEqual({ fleet: "0" });
    expect(column("prov", "CONNECTED VMS")).toEqual({ box: "0", "next-box": "0", "old-box": "0" });
  }, 300_000);

  test("without the permission to read Secrets it does not start, and names the command that grants it", async () => {
    const role = JSON.parse(it.kubectl("get", "clusterrole", "virtrigaud", "-o", "json"));
    const secrets = role.rules.findIndex(({ resources }: { resources: string[] }) => resources.includes("secrets"));
    expect(role.rules[secrets]).toEqual({ apiGroups: [""], resources: ["secrets"], verbs: ["get"] });
    const patch = JSON.stringify([{ op: "remove", path: `/rules/${secrets}` }]);
    it.kubectl("patch", "clusterrole", "virtrigaud", "--type=json", "-p", patch);
    const before = it.output().length;
    await it.restart();
    const said = async () => it.output().slice(before);
    await expect
      .poll(said, { timeout: 120_000 })
      .toMatch(/may not get secrets; telltale rbac virtrigaud \| kubectl apply -f -/);
    it.kubectl(
      "patch",
      "clusterrole",
      "virtrigaud",
      "--type=json",
      "-p",
      JSON.stringify([{ op: "add", path: "/rules/-", value: role.rules[secrets] }]),
    );
  }, 240_000);

  describe.skipIf(qemu === undefined)("with a provider of QEMU", () => {
    beforeAll(async () => {
      mkdirSync(join(folder, "images"), { recursive: true });
      writeFileSync(join(folder, "images/boot.raw"), Buffer.alloc(2 ** 20));
      const port = await freePort();
      const flags = {
        "state-dir": state,
        "image-dirs": join(folder, "images"),
        "min-free": "1Mi",
        port: String(port),
        "health-port": "0",
      };
      const argv = [program, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)];
      const env = { PATH: qemu ?? "", VIRTRIGAUD_PROVIDER_INSECURE: "true" };
      provider = spawn(process.execPath, argv, { stdio: "ignore", env });
      await it.restart("--virtrigaud.allow-external-provider-endpoints=true");
      const endpoint = `${addressOfThisHost()}:${port}`;
      const asked = { "virtrigaud.io/runtime-endpoint": endpoint };
      const merge = { metadata: { annotations: asked }, spec: { healthCheck: { interval: "5s" } } };
      await it.client.patch(Provider, { name: "box", namespace: "default" }, { merge });
    }, 240_000);

    const status = async () => (await it.client.get(VirtualMachine, "real", { namespace: "default" })).status;

    test("what it says is what the provider has", async () => {
      await it.until(
        "the machine runs, with a snapshot and a copy",
        (lines) =>
          [
            "VirtualMachine default/real Ready=True ",
            "VMSnapshot default/real-s1 Ready=True ",
            "VMClone default/real-copy Ready=True ",
          ].every((start) => lines.some((line) => line.startsWith(start))),
        120_000,
      );
      const { id = "", phase, powerState } = (await status()) ?? {};
      expect([phase, powerState]).toEqual(["Running", "On"]);
      const made = readdirSync(join(state, "vms"));
      const known = (await it.client.list(VirtualMachine, { namespace: "default" })).items.map(
        ({ status: it }) => it?.id,
      );
      expect(known.filter((it) => it !== undefined).sort()).toEqual(made.sort());
      expect(machineProcesses(join(state, "vms", id))).toHaveLength(1);
      const snapshot = await it.client.get(VMSnapshot, "real-s1", { namespace: "default" });
      expect(readFileSync(join(state, "vms", id, "snapshots.json"), "utf8")).toContain(snapshot.status?.snapshotID);
      await it.until(
        "the count of machines is that of the provider",
        () => column("prov", "CONNECTED VMS")["box"] === String(made.length),
      );
      const lines = await it.conditionLines();
      for (const who of [
        "Provider default/box",
        "VMClass default/small",
        "VMNetworkAttachment default/nat",
        "VMPlacementPolicy default/anywhere",
      ])
        expect(lines.filter((line) => line.startsWith(`${who} Ready=`))).toEqual([
          expect.stringContaining("Ready=True "),
        ]);
      // Nobody asks whether an image is there that is used as it is; the one of the samples is at a host that does not exist.
      expect(await says("VMImage default/boot")).toContainEqual(expect.stringMatching(/ Ready=Unknown Reference: /));
      expect(lines.filter((line) => /default\/(tiny|fleet|fleet-\d|web|mover) Ready=True/.test(line))).toEqual([]);
      expect(lines.filter((line) => /^Provider default\/(next|old)-box \w+=True/.test(line))).toEqual([]);
    }, 400_000);

    test("when it is killed, nothing is True that only it could say, and what was seen last stays", async () => {
      const before = await status();
      if (provider !== undefined) await end(provider);
      provider = undefined;
      const isSeen = (lines: readonly string[]) =>
        lines.some((line) => line.startsWith("Provider default/box Ready=False ConnectionFailed")) &&
        lines.filter((line) => /^VirtualMachine default\/real2? Ready=Unknown ProviderUnreachable/.test(line))
          .length === 2;
      await it.until("the outage is seen", isSeen, 120_000);
      const lines = await it.quiet();
      const claims = lines.filter(isClaim);
      // Of the past, and, for an hour, what was seen: docs/observations.md.
      const stays = [
        /^VMClone default\/real-copy Ready=True Completed/,
        /^VMSnapshot default\/real-s1 Ready=True Created/,
      ];
      expect(claims.filter((line) => !stays.some((it) => it.test(line)))).toEqual([]);
      expect(await status()).toMatchObject({ phase: "Running", powerState: "On", id: before?.id });
      // The machine itself runs on: it is not known, and not said to be off or broken.
      expect(machineProcesses(join(state, "vms", before?.id ?? ""))).toHaveLength(1);
      expect(column("vm", "READY")).toMatchObject({ real: "Unknown", real2: "Unknown" });
      expect(column("vmnet", "READY")).toEqual({ nat: "" });
      expect(column("prov", "HEALTHY")["box"]).not.toBe("true");
    }, 400_000);
  });
});

/** Processes of QEMU that have something below a folder. */
function machineProcesses(below: string): readonly number[] {
  if (!existsSync("/proc")) return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return argv.startsWith("qemu-system-x86_64") && argv.includes(below);
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** An endpoint may not be a loopback address. */
function addressOfThisHost(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = all.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("this host has no address but loopback ones");
  return found.address;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}
