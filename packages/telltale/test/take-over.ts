// Another controller of the same kinds, and what `telltale run` makes of it: on the embedded server and on a real one.
import { type Client, createClient, type Transport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { formatMicroTime, instant } from "@telltale/kinds";
import { ClusterRoleBinding, Deployment, Lease, Namespace } from "@telltale/kinds/builtin";
import { LocustTest } from "@telltale/locust";
import { expect, test } from "vitest";
import { podEnv, told } from "./told.ts";

interface Server {
  readonly transport: () => Transport;
  /** Of an administrator. */
  readonly kubeconfig: () => string;
  /** Of the account that `telltale install` creates for locust. */
  readonly accountKubeconfig: () => Promise<string>;
}

const background = { propagation: "Background" } as const;
const world = { clock: systemClock, random: systemRandom };

export function takeOverTests(server: Server): void {
  const as = (fieldManager: string): Client =>
    createClient({ transport: server.transport(), ...world, fieldManager, userAgent: fieldManager });
  const user = () => as("kubectl-create");
  const ended = () => AbortSignal.abort();
  const run = (operator: string, ...more: readonly string[]) =>
    told(["run", "--operators", operator, "--port", "0", "--kubeconfig", server.kubeconfig(), ...more], {}, ended());
  const namespace = "upstream";
  const deploymentOf = (name: string, image: string, labels = {}): Deployment =>
    ({
      metadata: { name, namespace, labels },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "manager", image }] } },
      },
    }) as Deployment;
  const heldLease = (name: string, at: number): Lease =>
    ({
      metadata: { name, namespace },
      spec: {
        holderIdentity: "pod-of-upstream",
        leaseDurationSeconds: 15,
        renewTime: formatMicroTime(instant(systemClock.now() - at)),
      },
    }) as Lease;

  test("an operator that is alone starts", async () => {
    await user().create(Namespace, { metadata: { name: namespace } });
    for (const operator of ["locust", "bindy"]) {
      expect(await told(["install", operator, "--kubeconfig", server.kubeconfig()])).toMatchObject({ code: 0 });
      const { err, out, code } = await run(operator);
      expect([err, code]).toEqual(["", 0]);
      expect(out).not.toContain("another controller");
    }
  });

  test("a Deployment of upstream is refused by name or image with the command that stops it, and not once it has no pods", async () => {
    const image = "registry.example.com/mirror/lotest/locust-k8s-operator:2.4.0";
    await user().create(Deployment, deploymentOf("load-tests", image));
    const { err, code } = await run("locust");
    expect(code).toBe(1);
    expect(err).toBe(
      `telltale: locust: another controller of the same kinds is at work: Deployment upstream/load-tests runs ${image}; ` +
        "stop it: kubectl scale deployment load-tests --namespace upstream --replicas 0; " +
        "then start again with --take-over, which goes on whatever is found\n",
    );
    expect(await told(["install", "locust", "--kubeconfig", server.kubeconfig()])).toMatchObject({ code: 1 });
    const going = await run("locust", "--take-over");
    expect(going).toMatchObject({ code: 0, err: "" });
    expect(going.out).toContain("takes over although another controller of the same kinds is at work");
    await user().patch(Deployment, { namespace, name: "load-tests" }, { merge: { spec: { replicas: 0 } } });
    expect(await run("locust")).toMatchObject({ code: 0, err: "" });
  });

  test("our own Deployment is none of upstream's, whatever its name, and another operator's upstream is none of ours", async () => {
    const labels = { "app.kubernetes.io/part-of": "telltale" };
    await user().create(Deployment, deploymentOf("bindy", "registry.example.com/telltale:0.1.0", labels));
    await user().create(Deployment, deploymentOf("capt", "ghcr.io/appthrust/capt:v0.2.0"));
    expect(await run("bindy")).toMatchObject({ code: 0, err: "" });
    await user().delete(Deployment, { namespace, name: "bindy" }, background);
    await user().create(Deployment, deploymentOf("bindy", "ghcr.io/firestoned/bindy@sha256:00"));
    expect((await run("bindy")).err).toContain("Deployment upstream/bindy runs ghcr.io/firestoned/bindy@sha256:00");
    await user().delete(Deployment, { namespace, name: "bindy" }, background);
  });

  test("a Lease of upstream is refused while it is held, and one that our own processes hold or that is over is not", async () => {
    await as("manager").create(Lease, heldLease("locust-k8s-operator.locust.io", 20_000));
    const { err, code } = await run("locust");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("Lease upstream/locust-k8s-operator.locust.io is held by pod-of-upstream"),
    ]);
    const renewTime = formatMicroTime(instant(systemClock.now() - 31_000));
    const ref = { namespace, name: "locust-k8s-operator.locust.io" };
    await as("manager").patch(Lease, ref, { merge: { spec: { renewTime } } });
    expect(await run("locust")).toMatchObject({ code: 0 });
    // Upstream's bindy has a Lease of the same name as ours.
    await as("bindy").create(Lease, heldLease("bindy-leader", 1_000));
    expect(await run("bindy")).toMatchObject({ code: 0 });
    await user().delete(Lease, { namespace, name: "bindy-leader" }, background);
    await as("kube-rs").create(Lease, heldLease("bindy-leader", 1_000));
    expect((await run("bindy")).err).toContain("Lease upstream/bindy-leader is held by pod-of-upstream");
    await user().delete(Lease, { namespace, name: "bindy-leader" }, background);
  });

  test("what may not be looked up is not taken for nobody: the operator starts and says what it does not know", async () => {
    await user().delete(ClusterRoleBinding, { name: "locust-preflight" }, background);
    const { out, err, code } = await told(
      ["run", "--operators", "locust", "--port", "0", "--kubeconfig", await server.accountKubeconfig()],
      podEnv,
      ended(),
    );
    expect([err, code]).toEqual(["", 0]);
    expect(out).toContain(
      "unknown whether another controller is at work: not allowed to list deployments.apps, leases.coordination.k8s.io" +
        "; telltale rbac locust | kubectl apply -f - allows it",
    );
  });

  test("a field manager that wrote statuses a short while ago is refused, and a user or we ourselves are not", async () => {
    const spec = {
      image: "locustio/locust",
      master: { command: "-f /a.py" },
      worker: { command: "-f /a.py", replicas: 1 },
    };
    const metadata = { name: "mine", namespace };
    await user().create(LocustTest, { metadata, spec } as never);
    for (const manager of ["locust", "kubectl-edit"]) {
      await as(manager).status.patch(LocustTest, metadata, { merge: { status: { phase: "Pending" } } });
      expect(await run("locust")).toMatchObject({ code: 0, err: "" });
    }
    await as("manager").status.patch(LocustTest, metadata, { merge: { status: { phase: "Running" } } });
    const { err, code } = await run("locust");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/"manager" wrote the status of LocustTest upstream\/mine \d+s ago/),
    ]);
  });
}
