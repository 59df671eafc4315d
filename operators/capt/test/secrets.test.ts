// AS-57, for all controllers together: what is secret goes into Secrets, and nowhere else. Everything that we say is read: the
// status and the annotations of every object, Events, metrics, and the log down to its last line.
import { Buffer } from "node:buffer";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Event, Secret } from "@telltale/kinds/builtin";
import type { Log } from "@telltale/runtime";
import { prometheus } from "@telltale/runtime/prometheus";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { captOperator } from "../src/index.ts";
import {
  CAPTCluster,
  CAPTControlPlane,
  ClusterV1beta2,
  Workspace,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import { captFamilies, captMetrics } from "../src/metrics.ts";
import { type Stage, stage } from "./stage.ts";

const marker = "XyZzY-hush-7Q";
const packed = Buffer.from(`${marker} `.repeat(8)).toString("base64");
/** As the provider writes errors: with credentials, and all of the output behind. */
const trouble = `apply failed: denied, token=${marker} password: "${marker}" Authorization: Bearer ${marker} in https://u:${marker}@example.com. To see the full error run: echo "${packed}" | base64 -d | gunzip`;
const minute = 60_000;

let on: Stage | undefined;
afterEach(() => on?.end());

test("AS-57 what is secret goes into Secrets, and nowhere else", async () => {
  const lines: string[] = [];
  const note = (message: string, fields?: object) => {
    lines.push(
      `${message} ${JSON.stringify(fields, (_key, it) => (it instanceof Error ? `${it.stack} ${JSON.stringify(it)}` : it))}`,
    );
  };
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const it = await stage({
    log,
    controllers: ({ kinds }) => captOperator({ config: { ...standardConfig, clusterApiMode: "standalone" }, kinds }),
  });
  on = it;

  /** Everything that is not a Secret, not what a person or the provider wrote, and could hold the marker. */
  const told = async (): Promise<string> => {
    const kinds: readonly KindRef[] = [
      CAPTCluster,
      CAPTControlPlane,
      ClusterV1beta2,
      WorkspaceTemplate,
      WorkspaceTemplateApply,
    ];
    const all: unknown[] = [...lines, ...it.samples];
    for (const kind of kinds) {
      for (const object of (await it.list(kind)) as readonly (KubeObject & { status?: unknown })[])
        all.push(object.status, object.metadata);
    }
    for (const { metadata } of await it.list(Workspace)) all.push({ ...metadata, managedFields: [] });
    all.push(await it.list(Event));
    all.push(await metrics(it));
    return JSON.stringify(all);
  };
  const silent = async (when: string) => {
    const text = await told();
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
  const variables = { hush: marker };
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

  await it.remove(ClusterV1beta2, "demo");
  await it.pass(minute);
  await it.runs(plane, { synced: false, message: trouble }).catch(() => {});
  await it.pass(minute);
  await silent("while it goes away");
  expect(lines.length).toBeGreaterThan(0);
});

/** What a scrape would show after all of this. */
async function metrics({ samples }: Stage): Promise<string> {
  const { sink, text, meter } = prometheus();
  const ours = captMetrics(meter(captFamilies({ held: () => [] })), "terminal");
  for (const sample of samples) for (const tell of [sink, ours.sink]) tell(sample);
  return text();
}
