// AS-57, for all controllers together: what is secret goes into Secrets, and nowhere else. Everything that we tell anybody at any time
// is read: every request but for specs and Secrets (so each status, annotation and Event), metrics, and the log with all its fields.
import { Buffer } from "node:buffer";
import { CustomResourceDefinition, Secret } from "@telltale/kinds/builtin";
import { prometheus } from "@telltale/runtime/prometheus";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { captOperator } from "../src/index.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  CaptMachine,
  ClusterV1beta2,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { captFamilies, captMetrics } from "../src/metrics.ts";
import { hush } from "./hush.ts";
import { namespace, type Stage, stage } from "./stage.ts";

const marker = "XyZzY-hush-7Q";
const packed = Buffer.from(`${marker} `.repeat(8)).toString("base64");
/** As the provider writes errors: with credentials, and all of the output behind. */
const trouble = `apply failed: denied, token=${marker} password: "${marker}" Authorization: Bearer ${marker} in https://u:${marker}@example.com. To see the full error run: echo "${packed}" | base64 -d | gunzip`;
const minute = 60_000;

let on: Stage | undefined;
afterEach(() => on?.end());

test("AS-57 what is secret goes into Secrets, and nowhere else", async () => {
  const { heard, log, wrap } = hush();
  const config = {
    ...standardConfig,
    clusterApiMode: "standalone",
    controllers: [...standardConfig.controllers, "machines"],
    features: { machines: true },
  } as const;
  const it = await stage({ log, wrap, controllers: ({ kinds }) => captOperator({ config, kinds }) });
  on = it;

  const silent = async (when: string) => {
    const text = JSON.stringify([heard, it.samples, await metrics(it)]);
    expect(text.includes(marker), when).toBe(false);
    expect(text.includes(packed.slice(0, 24)), when).toBe(false);
  };

  const template = (name: string, vars: readonly object[], module: string) =>
    it.make(WorkspaceTemplate, {
      metadata: { name },
      spec: { template: { spec: { forProvider: { source: "Inline", vars, module } } } },
    });
  const blank = (name: string) => `$\{${name}}`;
  await template("vpc", [{ key: "hush", value: blank("hush") }], `# ${marker}`);
  await template("cp", [{ key: "hush", value: blank("hush") }], `# ${marker}`);
  await template("unsafe", [], `# ${blank("hush")}`);
  await it.make(WorkspaceTemplateApply, {
    metadata: { name: "unsafe" },
    spec: { templateRef: { name: "unsafe" }, variables: { hush: `${marker}"` } },
  });
  expect(await it.says(WorkspaceTemplateApply, "unsafe", "TemplateResolved")).toMatch(/^False UnsafeVariable /);
  // A server that is stricter than our own definition quotes what it does not take.
  const named = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/providerConfigRef/properties/name";
  await it.client.patch(
    CustomResourceDefinition,
    { name: "workspaces.tf.upbound.io" },
    { json: [{ op: "add", path: `${named}/pattern`, value: "^default$" }] },
  );
  await it.make(WorkspaceTemplate, {
    metadata: { name: "refused" },
    spec: {
      template: {
        spec: { providerConfigRef: { name: blank("hush") }, forProvider: { source: "Inline", module: "#" } },
      },
    },
  });
  const variables = { hush: marker };
  await it.make(WorkspaceTemplateApply, {
    metadata: { name: "refused" },
    spec: { templateRef: { name: "refused" }, variables },
  });
  expect(await it.says(WorkspaceTemplateApply, "refused", "TemplateResolved")).toBe(
    "False InvalidTemplate the server refuses the Workspace: spec.providerConfigRef.name has a value that is not valid",
  );
  await silent("with templates that cannot be rendered");
  const api = (group: string) => ({ apiGroup: `${group}.cluster.x-k8s.io` });
  await it.make(ClusterV1beta2, {
    metadata: { name: "demo" },
    spec: {
      infrastructureRef: { ...api("infrastructure"), kind: "CAPTCluster", name: "demo-net" },
      controlPlaneRef: { ...api("controlplane"), kind: "CAPTControlPlane", name: "demo-cp" },
    },
  });
  await it.make(CAPTCluster, {
    metadata: { name: "demo-net" },
    spec: { region: "eu-west-1", vpcTemplateRef: { name: "vpc" }, variables },
  });
  await it.make(CAPTControlPlane, {
    metadata: { name: "demo-cp" },
    spec: { version: "1.31", workspaceTemplateRef: { name: "cp" }, variables },
  });
  await it.pass(minute);
  const workspace = async (apply: string) =>
    (await it.get(WorkspaceTemplateApply, apply))?.status?.workspaceName ?? "none yet";

  const vpc = await workspace("demo-net-vpc");
  await it.runs(vpc, { synced: false, message: trouble });
  await it.pass(minute);
  expect(await it.says(CAPTCluster, "demo-net", "VPCReady")).toMatch(/^False VPCCreationFailed .*denied/);
  await silent("after a run for the network that failed");

  const ready = { synced: true, ready: true } as const;
  const outputs = { admin_token: marker, db_password: marker, private_key: marker };
  await it.runs(vpc, { ...ready, outputs, secret: { ...outputs, vpc_id: "vpc-1", azs: `not json ${marker}` } });
  await it.pass(minute);
  expect((await it.get(CAPTCluster, "demo-net"))?.status).toMatchObject({ ready: true, vpcId: "vpc-1" });
  await silent("with a network");

  const plane = await workspace("demo-cp-eks-controlplane-apply");
  await it.runs(plane, { synced: false, message: trouble });
  await it.pass(minute);
  expect(await it.says(CAPTControlPlane, "demo-cp", "Ready")).toMatch(/^False WorkspaceError .*denied/);
  await silent("after a run for the control plane that failed");

  await it.runs(plane, { ...ready, outputs, secret: { cluster_endpoint: `https://u:${marker}@example.com/x` } });
  await it.pass(minute);
  expect(await it.says(CAPTControlPlane, "demo-cp", "EndpointReady")).toMatch(/^False InvalidEndpoint /);
  await silent("with an endpoint that is none");

  const endpoint = { cluster_endpoint: "https://10.0.0.1:6443", cluster_version: marker };
  const bad = { ...endpoint, kubeconfig: `token: ${marker}`, cluster_certificate_authority_data: marker };
  await it.runs(plane, { ...ready, outputs, secret: bad });
  await it.pass(minute);
  expect(await it.says(CAPTControlPlane, "demo-cp", "KubeconfigReady")).toMatch(/^False InvalidKubeconfig /);
  await silent("with a kubeconfig and a certificate that are none");

  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: "https://10.0.0.1:6443" } }],
    users: [{ name: "u", user: { token: marker } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  });
  const pem = `-----BEGIN CERTIFICATE-----\n${marker}\n-----END CERTIFICATE-----\n`;
  await it.runs(plane, {
    ...ready,
    outputs,
    secret: { ...endpoint, kubeconfig, cluster_certificate_authority_data: pem },
  });
  await it.pass(minute);
  expect(await it.says(CAPTControlPlane, "demo-cp", "Ready")).toMatch(/^True Ready /);
  const { data = {} } = (await it.get(Secret, "demo-kubeconfig")) ?? {};
  expect(Buffer.from(data["value"] ?? "", "base64").toString()).toContain(marker);
  await silent("with a control plane");

  await it.make(CaptMachine, {
    metadata: { name: "m", labels: { "cluster.x-k8s.io/cluster-name": "demo" } },
    spec: { nodeGroupRef: { name: "w", namespace }, workspaceTemplateRef: { name: "vpc" }, instanceType: "small" },
  });
  await it.pass(minute);
  await it.runs(await workspace("m-machine"), { synced: false, message: trouble });
  await it.pass(minute);
  await it.runs(await workspace("m-machine"), {
    ...ready,
    outputs: { ...outputs, instance_id: "i-1" },
    secret: outputs,
  });
  await it.pass(minute);
  expect(await it.says(CaptMachine, "m", "Ready")).toBe("True Ready instance i-1 exists");
  await silent("with a machine");

  await it.remove(ClusterV1beta2, "demo");
  await it.pass(minute);
  await it.runs(plane, { synced: false, message: trouble }).catch(() => {});
  await it.pass(minute);
  await silent("while it goes away");
  // What was said of the same things is there: it was not silence that passed.
  expect(heard.join()).toMatch(/denied, token=[^X]*vpc-1/s);
});

/** What a scrape would show after all of this. */
async function metrics({ samples }: Stage): Promise<string> {
  const { sink, text, meter } = prometheus();
  const ours = captMetrics(meter(captFamilies({ held: () => [] })), "terminal");
  for (const sample of samples) for (const tell of [sink, ours.sink]) tell(sample);
  return text();
}
