// kubectl, unchanged, against the server as a person starts it: a script of every command that works on an API server, and the
// recorded transcripts of a real cluster. Each client that is on this machine does both.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../tools/envtest/send.ts";
import { installed, Kubectl } from "./kubectl/client.ts";
import { crd, deployment, gauge } from "./kubectl/manifests.ts";
import { compared, isReworded, replay } from "./kubectl/replay.ts";
import { StandIn } from "./kubectl/stand-in.ts";
import { asRecorded, readTranscripts, recordedForm, type Transcript, withoutOwnTimeout } from "./kubectl/transcript.ts";
import { type Program, startProgram } from "./program.ts";

const recordedMinor = "v1.32.";
const clients = installed();
const none = { version: "(none)", binary: "" };

for (const { version, binary } of clients.length === 0 ? [none] : clients) {
  describe.skipIf(binary === "")(`kubectl ${version} by a person`, () => {
    let server: Program;
    let kubectl: Kubectl;
    beforeAll(async () => {
      server = await startProgram();
      kubectl = new Kubectl(binary, server);
      kubectl.file("crd.yaml", crd);
      kubectl.file("gauge.yaml", gauge(1));
      kubectl.file("gauge2.yaml", gauge(2));
      kubectl.file("web.yaml", deployment("web", 2));
      kubectl.file("web3.yaml", deployment("web", 3));
      await said("kubectl apply -f crd.yaml", /gauges.meters.example.test created/);
      await said(
        "kubectl wait --for=condition=Established crd/gauges.meters.example.test --timeout=10s",
        /condition met/,
      );
      await said(
        "kubectl apply -f gauge.yaml -f web.yaml",
        /gauge.meters.example.test\/one created\ndeployment.apps\/web created/,
      );
    });
    afterAll(() => server?.stop());

    /** The command succeeds and says something like this. */
    async function said(command: string, like: RegExp, env?: Record<string, string>): Promise<string> {
      const { stdout, stderr, exit } = await kubectl.sh(command, { env });
      expect({ command, exit, stderr: exit === 0 ? "" : stderr }).toEqual({ command, exit: 0, stderr: "" });
      expect(stdout).toMatch(like);
      return stdout;
    }

    async function refused(command: string, like: RegExp, code = 1): Promise<void> {
      const { stderr, stdout, exit } = await kubectl.sh(command);
      expect({ command, exit }).toEqual({ command, exit: code });
      expect(stderr + stdout).toMatch(like);
    }

    it("finds out what is served", async () => {
      await said("kubectl version", /Server Version: v1\.36/);
      await said("kubectl cluster-info", /control plane.* is running at/);
      await said("kubectl api-versions", /^apps\/v1$[\s\S]*^meters.example.test\/v1$[\s\S]*^v1$/m);
      await said("kubectl api-resources", /^gauges +gg +meters.example.test\/v1 +true +Gauge$/m);
      await said("kubectl config view", /certificate-authority-data: DATA\+OMITTED/);
      await said("kubectl get --raw /readyz", /^ok$/);
      await said("kubectl get --raw /api/v1/namespaces/default", /"kind":"Namespace"/);
    });

    it("explains built-in and custom kinds", async () => {
      await said("kubectl explain deployment.spec.replicas", /FIELD: replicas <integer>/);
      await said("kubectl explain gg.spec", /reading\s+<integer> -required-\s+What it shows./);
      await refused("kubectl explain gg.spec.nope", /field "nope" does not exist/);
    });

    it("gets in every form of output", async () => {
      await said("kubectl get gg", /^NAME +READING +AGE\none +1 +\d+s$/m);
      await said("kubectl get gg one -o wide", /^NAME +READING +UNIT +AGE\none +1 +bar +\d+s$/m);
      await said("kubectl get gg one -o yaml", /^spec:\n {2}reading: 1\n {2}unit: bar$/m);
      await said("kubectl get gg one -o json", /"reading": 1/);
      await said("kubectl get gg -o custom-columns=N:.metadata.name,R:.spec.reading", /^N +R\none +1$/m);
      await said(
        "kubectl get deploy -o wide -l app=web",
        /^web +0\/2 +0 +0 +\d+s +main +example.test\/web:1 +app=web$/m,
      );
      await said("kubectl get deploy --field-selector metadata.name=web -o name", /^deployment.apps\/web$/m);
      await said("kubectl get ns --chunk-size=2 -o name", /(namespace\/\S+\n){4}/);
      await said("kubectl get deploy -A", /^default +web /m);
      await refused("kubectl get pods --field-selector spec.bogus=1", /field label not supported: spec.bogus/);
    });

    it("watches", async () => {
      const change = "kubectl annotate gg one seen=1 --overwrite";
      const lines = (stdout: string) => stdout.split("\n").length > 3;
      const { stdout } = await kubectl.watching("kubectl get gg one -w", [change], lines);
      expect(stdout).toMatch(/^NAME +READING +AGE\none +1 +\S+\none +1 +\S+\n$/);
    });

    it("describes, with the events of the object", async () => {
      await said("kubectl describe gg one", /Reading: +1\n[\s\S]*Events: +<none>/);
      await said("kubectl describe deploy web", /Replicas: +2 desired/);
      await said("kubectl events", /^$|No events/);
      await refused("kubectl describe gg nope", /"nope" not found/);
    });

    it("applies from the client's and from the server's side, and shows the difference before", async () => {
      await said("kubectl apply -f web.yaml", /^deployment.apps\/web unchanged$/m);
      await refused("kubectl diff -f web3.yaml", /^- {2}replicas: 2\n\+ {2}replicas: 3$/m);
      await said("kubectl apply -f web3.yaml --dry-run=server", /configured \(server dry run\)/);
      await said("kubectl apply -f web3.yaml", /configured/);
      await said("kubectl diff -f web3.yaml", /^$/);
      await said("kubectl apply --server-side --field-manager=me -f gauge.yaml", /serverside-applied/);
      await refused("kubectl apply --server-side --field-manager=you -f gauge2.yaml", /conflict with "[^"]+"/);
      await said(
        "kubectl apply --server-side --field-manager=you --force-conflicts -f gauge2.yaml",
        /serverside-applied/,
      );
      await said("kubectl get gg one -o yaml --show-managed-fields", /manager: you\n {4}operation: Apply/);
    });

    it("creates, replaces, edits and exposes", async () => {
      await said("kubectl create configmap cfg --from-literal=a=1", /configmap\/cfg created/);
      await said("kubectl create secret generic sec --from-literal=p=1", /secret\/sec created/);
      await said("kubectl create job once --image=example.test/x", /job.batch\/once created/);
      await said(
        "kubectl create cronjob tick --image=example.test/x --schedule='* * * * *'",
        /cronjob.batch\/tick created/,
      );
      await said("kubectl create serviceaccount robot", /serviceaccount\/robot created/);
      await said("kubectl create token robot", /^[\w-]+\.[\w-]+\.[\w-]+$/m);
      await said("kubectl expose deployment web --port=80", /service\/web exposed/);
      await said("kubectl replace -f gauge.yaml", /replaced/);
      await said("kubectl edit gg one", /edited/, { KUBE_EDITOR: "sed -i 's/unit: bar/unit: psi/'" });
      await said("kubectl get gg one -o jsonpath={.spec.unit}", /^psi$/);
      await refused("kubectl create -f gauge.yaml", /AlreadyExists/);
    });

    it("patches in three ways, labels, annotates and scales", async () => {
      await said(`kubectl patch gg one --type=merge -p '{"spec":{"reading":5}}'`, /patched/);
      await said(
        `kubectl patch gg one --type=json -p '[{"op":"replace","path":"/spec/reading","value":6}]'`,
        /patched/,
      );
      await said(
        `kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"two","image":"b"}]}}}}'`,
        /patched/,
      );
      await said("kubectl get deploy web -o jsonpath={.spec.template.spec.containers[*].name}", /^two main$/);
      await said("kubectl label gg one tier=a", /labeled/);
      await said("kubectl annotate gg one note=b", /annotated/);
      await said("kubectl scale deploy web --replicas=4", /scaled/);
      await said("kubectl scale gg one --replicas=7", /scaled/);
      await said("kubectl set image deploy/web main=example.test/web:9", /image updated/);
      await refused(
        `kubectl patch gg one --type=merge -p '{"spec":{"reading":-1}}'`,
        /should be greater than or equal to 0/,
      );
    });

    it("waits for a rollout, a condition, a value and a deletion", async () => {
      const { body } = await send(server, "GET", "/apis/apps/v1/namespaces/default/deployments/web");
      const { metadata, spec } = body as { metadata: { generation: number }; spec: { replicas: number } };
      const { replicas } = spec;
      const status = {
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
        readyReplicas: replicas,
        conditions: [{ type: "Available", status: "True" }],
      };
      const path = "/apis/apps/v1/namespaces/default/deployments/web/status";
      const written = await send(server, "PATCH", path, { status }, "application/merge-patch+json");
      expect(written.status).toBe(200);
      await said("kubectl rollout status deploy/web --timeout=10s", /successfully rolled out/);
      await said("kubectl wait deploy/web --for=condition=Available --timeout=10s", /condition met/);
      await said("kubectl wait deploy/web --for=jsonpath='{.status.readyReplicas}'=4 --timeout=10s", /condition met/);
      const met = (stdout: string) => stdout.includes("condition met");
      const waiting = "kubectl wait cm/cfg --for=delete --timeout=10s";
      const { stdout } = await kubectl.watching(waiting, ["kubectl delete cm cfg"], met);
      expect(stdout).toBe("configmap/cfg condition met\n");
    });

    it("reads the log of a pod that has none, and opens no shell in it", async () => {
      await said("kubectl run pod --image=example.test/x", /pod\/pod created/);
      await said("kubectl logs pod", /^$/);
      await refused("kubectl exec pod -- ls", /pod pod does not have a host assigned/);
    });

    it("knows who it is and what it may do", async () => {
      await said("kubectl auth whoami", /Username +admin/);
      await said("kubectl auth can-i create deployments", /^yes$/m);
      await refused("kubectl auth can-i list pods --as=nobody", /^no$/m);
      await said("kubectl create role viewer --verb=list --resource=pods", /created/);
      await said("kubectl create rolebinding viewer --role=viewer --user=nobody", /created/);
      await said("kubectl auth can-i list pods --as=nobody", /^yes$/m);
      await refused("kubectl get secrets --as=nobody", /forbidden: User "nobody" cannot list resource "secrets"/);
    });

    it("deletes with dependents, before them and without them, and whole namespaces", async () => {
      const owned = (owner: string, uid: string) => ({
        metadata: {
          name: `child-of-${owner}`,
          ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true }],
        },
      });
      const maps = "/api/v1/namespaces/default/configmaps";
      for (const way of ["background", "foreground", "orphan"]) {
        const made = await send(server, "POST", maps, { metadata: { name: way } });
        const { uid } = (made.body as { metadata: { uid: string } }).metadata;
        expect((await send(server, "POST", maps, owned(way, uid))).status).toBe(201);
        await said(`kubectl delete cm ${way} --cascade=${way} --wait --timeout=20s`, /deleted/);
      }
      await refused(
        "kubectl get cm foreground child-of-foreground",
        /"foreground" not found[\s\S]*"child-of-foreground" not found/,
      );
      await said("kubectl get cm child-of-orphan -o jsonpath={.metadata.ownerReferences}", /^$/);
      await said("kubectl wait --for=delete cm/child-of-background --timeout=10s", /^$|condition met/);
      await said("kubectl create ns gone", /created/);
      await said("kubectl create cm inside -n gone", /created/);
      await said("kubectl delete ns gone --timeout=20s", /deleted/);
      await refused("kubectl get ns gone", /NotFound/);
      await said("kubectl delete -f gauge.yaml -f crd.yaml --timeout=20s", /deleted/);
      await refused("kubectl get gg", /could not find the requested resource|doesn't have a resource type/);
    });
  });

  describe.skipIf(binary === "")(`kubectl ${version} by the recording`, () => {
    let server: Program;
    let kubectl: Kubectl;
    let standIn: StandIn;
    beforeAll(async () => {
      server = await startProgram(["--version-string", "v1.36.4"]);
      kubectl = new Kubectl(binary, server);
      standIn = new StandIn(server);
    });
    afterAll(() => server?.stop());

    for (const { before, one } of compared(readTranscripts())) {
      it(`${one.id} ${one.command}`, async () => {
        for (const other of before) await replay(kubectl, standIn, other);
        const got = await replay(kubectl, standIn, one);
        const words = version.startsWith(recordedMinor) || !isReworded(one.id);
        expect({
          exit: one.exit === null ? null : got.exit,
          stdout: words && asRecorded(ending(one, one.stdout), ending(one, got.stdout), one),
          stderr: words && asRecorded(one.stderr, withoutOwnTimeout(got.stderr), one),
        }).toEqual({
          exit: one.exit,
          stdout: words && recordedForm(ending(one, one.stdout), one),
          stderr: words && recordedForm(one.stderr, one),
        });
      });
    }
  });
}

/** How a rollout goes depends on pods; how it ends does not. */
function ending({ command }: Transcript, stdout: string): string {
  return command.includes("rollout status deployment") ? (stdout.trimEnd().split("\n").at(-1) ?? "") : stdout;
}
