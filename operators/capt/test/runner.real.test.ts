// Section 12 with a real program: what a run leaves behind, and what happens when it, or the operator, is killed at any step.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tofuFor } from "../../../tools/tofu/tofu.ts";
import { Workspace } from "../src/kinds/workspace.ts";
import type { Kept } from "../src/runner/record.ts";
import { namespace, type RealStage, realPrograms, realStage, simple, slow, vars } from "./real-stage.ts";

const programs = realPrograms(tofuFor("real runs of operators/capt"));

describe.skipIf(programs.length === 0).each(programs)("real $name", (program) => {
  let s: RealStage;
  beforeEach(async () => {
    s = await realStage(program);
    s.start();
  });
  afterEach(() => s.end());

  const remove = () => s.client.delete(Workspace, { name: "demo" }, { propagation: "Background" });
  const nothingIsLeft = async () => {
    await s.until("the Workspace is gone", () => s.isGone());
    expect(readdirSync(s.root)).toEqual([]); // neither state nor lock, of this one or of any other
    await s.until("no process is left", () => s.left().length === 0, 5_000);
    const { items } = await s.client.list(Secret);
    expect(items.map(({ metadata }) => metadata?.name)).toEqual([]);
  };

  it("AS-51 a module is applied, its outputs and its state are published, and the next look only plans", async () => {
    const { metadata } = await s.make({ module: simple, vars });
    const uid = metadata.uid ?? "";
    await s.ready();
    expect(await s.says("Synced")).toBe("True ReconcileSuccess The last run went through");
    const data = await s.secret("demo-connection");
    expect(Object.keys(data ?? {})).toEqual(["admin", "azs", "vpc_id"]);
    expect(data).toMatchObject({ admin: "only for the Secret", azs: '["b","a"]' });
    expect((await s.get()).status?.atProvider?.outputs).toEqual({ azs: ["b", "a"], vpc_id: data?.["vpc_id"] });
    const kept = await s.kept(uid);
    expect(kept?.state).toMatchObject({ serial: expect.any(Number), resources: 1 });
    expect(kept?.state?.serial).toBeGreaterThanOrEqual(1);
    expect(readdirSync(join(s.root, uid))).not.toContain("tfplan");
    expect(existsSync(join(s.root, uid, ".terraform", "providers"))).toBe(false);
    await lookAgain();
    expect((await s.kept(uid))?.state?.serial).toBe(kept?.state?.serial);
    expect((await s.events()).match(/RunStarted/g)).toHaveLength(1);
    await remove();
    await nothingIsLeft();
  });

  // OpenTofu keeps what it has made to itself for up to 20 s: a kill in that time is the module's loss, as the README says.
  it.skipIf(program.name === "tofu")(
    "AS-52 a program that is killed while it applies is gone on with, and nothing is made twice",
    async () => {
      const { metadata } = await s.make({ module: slow(2) });
      const uid = metadata.uid ?? "";
      await s.until("the first resource is kept", async () => ((await s.kept(uid))?.state?.resources ?? 0) >= 1);
      const first = idOf(await s.kept(uid), "r0");
      process.kill(-s.leader(uid), "SIGKILL");
      await s.until("the crash is said", async () => (await s.events()).includes("RunFailed apply: RunnerCrashed"));
      await s.ready();
      const kept = await s.kept(uid);
      expect(kept?.state?.resources).toBe(3);
      expect(first).toBeDefined();
      expect(idOf(kept, "r0")).toBe(first);
      expect(s.processes()).toEqual([]);
    },
  );

  it("AS-53 a run outlives its operator, and the next one follows it to its end", async () => {
    const { metadata } = await s.make({ module: slow(1) });
    const uid = metadata.uid ?? "";
    await s.until("it applies", () => s.step(uid) === "apply" && s.processes().length > 0);
    const leader = s.leader(uid);
    await s.kill("SIGKILL");
    expect(s.processes()).not.toEqual([]);
    expect(s.left()).toContain(leader);
    const run = s.run(uid);
    s.start();
    await s.until("it has ended", () => s.step(uid) !== "apply");
    expect([s.run(uid), isAlive(leader)]).toEqual([run, false]);
    await s.ready();
    expect((await s.kept(uid))?.state?.resources).toBe(3);
    expect((await s.events()).match(/RunStarted/g)).toHaveLength(1);
    expect(await s.events()).not.toContain("RunFailed");
  });

  it("AS-54 a Workspace that is deleted while it is applied is stopped, saved and destroyed", async () => {
    const { metadata } = await s.make({ module: slow(20) });
    const uid = metadata.uid ?? "";
    await s.until("it applies", () => s.step(uid) === "apply" && s.processes().length > 2);
    await remove();
    await nothingIsLeft();
    const events = await s.events();
    expect(events).toContain("Warning RunCancelled apply: Cancelled: the run was cancelled: the Workspace is deleted");
    expect(events).toContain("Normal RunSucceeded destroy went through");
  });

  it("AS-55 what was made is destroyed from what it was made with, though that is gone", async () => {
    const [name, key] = ["inputs", "v.tfvars"];
    const data = { [key]: Buffer.from('name = "from a Secret"\n').toString("base64") };
    await s.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data } as Secret);
    const varFiles = [{ source: "SecretKey", format: "HCL", secretKeyRef: { namespace, name, key } }];
    await s.make({ module: simple, varFiles });
    await s.ready();
    await s.client.delete(Secret, { name, namespace }, { propagation: "Background" });
    await remove();
    await nothingIsLeft();
  });

  it("AS-56 a module that cannot work is said to be so and tried again when it is corrected", async () => {
    await s.make({ module: 'resource "terraform_data" "x" { no_such = 1 }' });
    await s.until("it is said", async () => (await s.says("Synced")) !== "");
    expect(await s.says("Synced")).toBe("False ReconcileError InvalidConfiguration: Unsupported argument");
    expect(await s.says("Ready")).toBe("");
    expect((await s.get()).metadata.annotations).toMatchObject({
      "capt.infrastructure.cluster.x-k8s.io/error-class": "InvalidConfiguration",
    });
    const merge = { spec: { forProvider: { module: 'output "a" { value = 1 }' } } };
    await s.client.patch(Workspace, { name: "demo" }, { merge });
    await s.ready();
    expect((await s.get()).metadata.annotations).toBeUndefined();
  });

  it("a module that does not parse, and one without a value for a variable, are configuration errors too", async () => {
    await s.make({ module: 'resource "terraform_data" {' }, {}, "demo");
    await s.make({ module: simple }, {}, "other");
    for (const name of ["demo", "other"]) await s.until(name, async () => (await s.says("Synced", name)) !== "");
    expect(await s.says("Synced")).toMatch(/^False ReconcileError InvalidConfiguration: /);
    expect(await s.says("Synced", "other")).toBe(
      "False ReconcileError InvalidConfiguration: No value for required variable",
    );
  });

  it("AS-57 what is secret is in Secrets and in the folder of the run, and nowhere else", async () => {
    const marker = "XyZzY-hush";
    const data = { k: Buffer.from(marker).toString("base64") };
    const ref = { namespace, name: "hush", key: "k" };
    await s.client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "hush", namespace },
      data,
    } as Secret);
    const module = `
variable "name" {
  type      = string
  sensitive = true
}
resource "terraform_data" "x" { input = var.name }
resource "terraform_data" "fails" {
  depends_on = [terraform_data.x]
  provisioner "local-exec" {
    command = <<-EOT
      test -e "$HOME/../go-on" || { echo "token=$TF_VAR_marker" >&2; exit 1; }
    EOT
  }
}
output "all" {
  sensitive = true
  value     = var.name
}
output "kubeconfig" { value = nonsensitive(var.name) }
`;
    const env = [{ name: "TF_VAR_marker", secretKeyRef: ref }];
    const { metadata } = await s.make({
      module,
      env,
      vars: [{ key: "name", value: marker }],
      enableTerraformCLILogging: true,
    });
    await s.until("it fails", async () => (await s.says("Synced")).startsWith("False"));
    expect(await s.says("Synced")).toBe("False ReconcileError ApplyFailed: local-exec provisioner error");
    writeFileSync(join(s.root, metadata.uid ?? "", "go-on"), "");
    await s.ready();
    expect(await s.secret("demo-connection")).toEqual({ all: marker, kubeconfig: marker });
    expect((await s.get()).status?.atProvider?.outputs).toBeUndefined();
    await s.client.delete(Secret, ref, { propagation: "Background" });
    await remove();
    await nothingIsLeft();
    const said = [s.log(), s.told()].join("\n");
    for (const word of ["local-exec provisioner error", "RunFailed", "RunSucceeded"]) expect(said).toContain(word);
    expect(said).not.toContain(marker);
    expect(said).not.toContain(data.k);
    expect(said).not.toContain("of the operator alone");
  });

  it("13.5 a run gets nothing of the operator's environment, and its files are for nobody else's eyes", async () => {
    const module = `
resource "terraform_data" "x" {
  provisioner "local-exec" {
    command = <<-EOT
      env > "$HOME/../seen"
    EOT
  }
}`;
    const { metadata } = await s.make({ module, env: [{ name: "TF_VAR_mine", value: "1" }] });
    await s.ready();
    const folder = join(s.root, metadata.uid ?? "");
    const seen = readFileSync(join(folder, "seen"), "utf8");
    expect(seen).toContain("TF_VAR_mine=1");
    expect(seen).not.toContain("OPERATOR_ONLY");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ["terraform.tfstate", "capt.auto.tfvars.json", "run.json", "run.err"]) {
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  it("12.8 an operator that is asked to stop stops its runs and saves their states", async () => {
    const { metadata } = await s.make({ module: slow(1) });
    const uid = metadata.uid ?? "";
    await s.until("the first resource is there", () => readState(s.root, uid).includes('"r0"'));
    await s.kill("SIGTERM");
    expect(s.processes()).toEqual([]);
    expect(await s.says("Synced")).toBe("");
    expect((await s.kept(uid))?.state?.text).toBe(readState(s.root, uid));
    rmSync(join(s.root, uid), { recursive: true }); // another machine: the state is in the Secret alone
    s.start();
    await s.ready();
    expect((await s.kept(uid))?.state?.resources).toBe(3);
    await remove();
    await nothingIsLeft();
  });

  const steps = ["init", "validate", "plan", "apply", "output"] as const;
  const victims = ["the operator", "the program", "both", "the supervisor"] as const;
  const all = steps.flatMap((step) => victims.map((victim) => ({ step, victim })));

  it.each(all)("kill -9 of $victim at $step is survived, and nothing is left in the end", async ({ step, victim }) => {
    const release = s.hold(step);
    const { metadata } = await s.make({ module: simple, vars });
    const uid = metadata.uid ?? "";
    await strike(step === "output" ? "outputs" : step, victim, uid, release);
    await s.ready();
    expect((await s.kept(uid))?.state?.resources).toBe(1);
    expect(await s.secret("demo-connection")).toMatchObject({ admin: "only for the Secret" });
    await remove();
    await nothingIsLeft();
  });

  it.each(victims)("kill -9 of %s while it destroys is survived, and nothing is left in the end", async (victim) => {
    const { metadata } = await s.make({ module: simple, vars });
    const uid = metadata.uid ?? "";
    await s.ready();
    const release = s.hold("destroy");
    await remove();
    await strike("destroy", victim, uid, release);
    await nothingIsLeft();
  });

  /** Kills somebody while a step is held, lets it go on, and has an operator again. */
  async function strike(step: string, victim: (typeof victims)[number], uid: string, release: () => void) {
    await s.until(`it is at ${step}`, () => s.step(uid) === step && s.processes().length > 0);
    const leader = s.leader(uid);
    if (victim === "the operator" || victim === "both") await s.kill("SIGKILL");
    if (victim === "the program" || victim === "both") process.kill(-leader, "SIGKILL");
    if (victim === "the supervisor") process.kill(leader, "SIGKILL");
    release();
    if (victim === "the operator" || victim === "both") s.start();
  }

  /** A status that is wiped is said again, after a look at how things are. */
  async function lookAgain() {
    await s.client.status.patch(Workspace, { name: "demo" }, { merge: { status: null } });
    await s.client.patch(Workspace, { name: "demo" }, { merge: { metadata: { annotations: { look: "again" } } } });
    await s.ready();
  }
});

/** Dead and not yet reaped is dead. */
function isAlive(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, "utf8"));
}

function idOf(kept: Kept | undefined, name: string): unknown {
  const { resources } = JSON.parse(kept?.state?.text ?? "{}") as {
    resources?: { name: string; instances: { attributes: { id: string } }[] }[];
  };
  return resources?.find((it) => it.name === name)?.instances[0]?.attributes.id;
}

function readState(root: string, uid: string): string {
  const path = join(root, uid, "terraform.tfstate");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
