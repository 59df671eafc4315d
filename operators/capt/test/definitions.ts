// What an API server makes of our definitions: asked of the embedded one and of a real one, in the same words.
import type { KubeObject } from "@telltale/kinds";
import { expect, test } from "vitest";
import { captCrds, clusterCrd, workspaceCrd } from "../src/manifests/crds.ts";
import { templatePolicy, templatePolicyBinding } from "../src/manifests/template-policy.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request with a JSON body; a patch says which with its content type. */
export type Ask = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
type Headers = Readonly<Record<string, string>>;

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const definitions = () => [...captCrds(), workspaceCrd(), clusterCrd("v1beta1")];

const infrastructure = "/apis/infrastructure.cluster.x-k8s.io/v1beta1";
const controlPlane = "/apis/controlplane.cluster.x-k8s.io/v1beta1";
const at = (group: string, plural: string, namespace = "default") => `${group}/namespaces/${namespace}/${plural}`;
const clusters = at(infrastructure, "captclusters");
const planes = at(controlPlane, "captcontrolplanes");

const made = (kind: string, name: string, spec: object, more: object = {}): KubeObject =>
  ({
    apiVersion: kind.startsWith("CAPTControlPlane")
      ? "controlplane.cluster.x-k8s.io/v1beta1"
      : "infrastructure.cluster.x-k8s.io/v1beta1",
    kind,
    metadata: { name },
    spec,
    ...more,
  }) as KubeObject;

const messageOf = ({ body }: Answer): string => (body as { message?: string }).message ?? "";
const merge = { "content-type": "application/merge-patch+json" };
/** As templates write a variable. */
const blank = (name: string) => `$\{${name}}`;
const region = "eu-west-1";
const vpcTemplateRef = { name: "vpc" };
const existingVpcId = "vpc-123456789";

/** The tests. `ask` is known only when they run. */
export function definitionTests(ask: Ask): void {
  const make = (path: string, object: KubeObject) => ask("POST", `${path}?fieldValidation=Strict`, object);
  const change = (path: string, patch: object, query = "") => ask("PATCH", `${path}${query}`, patch, merge);
  const cluster = (name: string, spec: object) => make(clusters, made("CAPTCluster", name, { region, ...spec }));
  const refused = async (answer: Promise<Answer>, ...texts: readonly string[]) => {
    const it = await answer;
    expect([it.status, messageOf(it)]).toEqual([422, expect.any(String)]);
    for (const text of texts) expect(messageOf(it)).toContain(text);
  };
  const taken = async (answer: Promise<Answer>, status = 201) => {
    const it = await answer;
    expect(it.status, JSON.stringify(it.body)).toBe(status);
    return it.body as { spec: Record<string, unknown>; status?: Record<string, unknown> };
  };
  const table = async (path: string): Promise<string[][]> => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { columnDefinitions, rows } = (await ask("GET", path, undefined, { accept })).body as {
      columnDefinitions: { name: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    const shown = columnDefinitions.flatMap(({ priority }, i) => (priority === 0 ? [i] : []));
    const head = columnDefinitions.map(({ name }) => name.toUpperCase());
    return [head, ...rows.map(({ cells }) => cells.map(String))].map((line) => shown.map((i) => line[i] ?? ""));
  };

  test.each(definitions().map((crd) => [crd.metadata?.name ?? "", crd] as const))(
    "API-10 %s is accepted as it is, under the name of its kind",
    async (name, crd) => {
      const { spec, status, metadata } = (await ask("GET", `${crds}/${name}`)).body as typeof crd & {
        status: { conditions: { type: string; status: string }[] };
      };
      const says = Object.fromEntries(status.conditions.map(({ type, status: is }) => [type, is]));
      expect(says).toMatchObject({ Established: "True", NamesAccepted: "True" });
      expect(says).not.toHaveProperty("NonStructuralSchema");
      expect(metadata?.labels).toEqual(crd.metadata?.labels);
      expect(spec.versions).toMatchObject(crd.spec.versions);
      expect(spec.names).toMatchObject(crd.spec.names);
    },
  );

  test("AS-03 a CAPTCluster is shown as the design shows it", async () => {
    await taken(cluster("test-cluster", { existingVpcId }));
    const status = { vpcId: existingVpcId, ready: true, endpoint: "10.0.0.1:6443" };
    await taken(change(`${clusters}/test-cluster/status`, { status }), 200);
    const [head, row = []] = await table(`${clusters}/test-cluster`);
    expect(head).toEqual(["NAME", "VPC-ID", "READY", "ENDPOINT", "AGE", "SIMULATED"]);
    expect(row.slice(0, 4)).toEqual(["test-cluster", "vpc-123456789", "true", "10.0.0.1:6443"]);
  });

  test("AS-03 a CAPTControlPlane is shown as the design shows it", async () => {
    const spec = { version: "1.31", workspaceTemplateRef: { name: "cp" } };
    await taken(make(planes, made("CAPTControlPlane", "test-cluster", spec)));
    const status = { ready: true, phase: "Ready", endpoint: "10.0.0.1:6443" };
    await taken(change(`${planes}/test-cluster/status`, { status }), 200);
    const [head, row = []] = await table(`${planes}/test-cluster`);
    expect(head).toEqual(["NAME", "READY", "PHASE", "VERSION", "ENDPOINT", "AGE", "SIMULATED"]);
    expect(row.slice(0, 5)).toEqual(["test-cluster", "true", "Ready", "1.31", "10.0.0.1:6443"]);
  });

  test("CC-V1 a CAPTCluster has exactly one source of its network", async () => {
    await refused(
      cluster("both", { vpcTemplateRef, existingVpcId }),
      "vpcTemplateRef and existingVpcId are mutually exclusive",
    );
    await refused(cluster("none", {}), "one of vpcTemplateRef or existingVpcId is required");
    await taken(cluster("template", { vpcTemplateRef }));
    await refused(cluster("blank", { existingVpcId: "a b" }), "spec.existingVpcId");
  });

  test("CC-V2 only a network that we make can be retained", async () => {
    await refused(
      cluster("retained", { existingVpcId, retainVpcOnDelete: true }),
      "retainVpcOnDelete requires vpcTemplateRef",
    );
    await taken(cluster("kept", { vpcTemplateRef, retainVpcOnDelete: true }));
  });

  test("CC-V3 the source changes until the network is there, and not after", async () => {
    const toTemplate = { spec: { existingVpcId: null, vpcTemplateRef } };
    const toExisting = { spec: { existingVpcId, vpcTemplateRef: null } };
    await taken(cluster("switching", { existingVpcId }));
    await taken(change(`${clusters}/switching`, toTemplate), 200);
    await taken(change(`${clusters}/switching/status`, { status: { initialization: { provisioned: true } } }), 200);
    await refused(change(`${clusters}/switching`, toExisting), "the VPC source cannot change after provisioning");
    await taken(change(`${clusters}/switching`, { spec: { vpcTemplateRef: { name: "other" } } }), 200);
  });

  test("a region may be of any partition, and stays", async () => {
    for (const [i, name] of ["us-gov-west-1", "ap-southeast-12", "eu-isoe-west-1"].entries())
      await taken(cluster(`partition-${i}`, { region: name, existingVpcId }));
    for (const name of ["Europe", "eu-west", "eu-west-1a", ""])
      await refused(cluster("elsewhere", { region: name, existingVpcId }), "spec.region");
    await refused(change(`${clusters}/partition-0`, { spec: { region } }), "cannot be changed");
  });

  test("an endpoint is a host and a port, both or neither", async () => {
    const with_ = (name: string, host?: unknown, port?: unknown) =>
      cluster(name, { existingVpcId, controlPlaneEndpoint: { host, port } });
    for (const [i, host] of ["10.0.0.1", "abc.example.com", "fd00::1", "::ffff:10.0.0.1", "localhost"].entries())
      await taken(with_(`endpoint-${i}`, host, 6443));
    for (const host of ["https://a", "a/b", "a:443", "[fd00::1]", "", "a b"])
      await refused(with_("bad", host, 6443), "controlPlaneEndpoint.host");
    for (const port of [0, 65_536]) await refused(with_("bad", "a", port), "controlPlaneEndpoint.port");
    await refused(with_("half", "a"), "controlPlaneEndpoint.port");
    await refused(with_("half", undefined, 1), "controlPlaneEndpoint.host");
  });

  test("a variable that the operator sets itself is not taken from a person", async () => {
    await refused(cluster("own", { existingVpcId, variables: { region: "x" } }), "are set by the operator");
    await taken(cluster("more", { existingVpcId, variables: { environment: "test", cidr: "10.0.0.0/16" } }));
  });

  test("a timeout is a whole number of minutes, and is not filled in", async () => {
    const { spec } = await taken(cluster("timed", { existingVpcId, timeouts: { secretTimeout: 1 } }));
    expect(spec["timeouts"]).toEqual({ secretTimeout: 1 });
    expect(spec["retainVpcOnDelete"]).toBe(false);
    await refused(cluster("untimed", { existingVpcId, timeouts: { secretTimeout: 0 } }), "secretTimeout");
  });

  test("10.4 failure domains are stored as a map and as a list", async () => {
    await taken(cluster("domains", { existingVpcId }));
    const status = (failureDomains: unknown) => change(`${clusters}/domains/status`, { status: { failureDomains } });
    const map = { a: { controlPlane: true, attributes: { x: "y" } } };
    expect((await taken(status(map), 200)).status?.["failureDomains"]).toEqual(map);
    const list = [{ name: "a", controlPlane: true }];
    await taken(status(null), 200);
    expect((await taken(status(list), 200)).status?.["failureDomains"]).toEqual(list);
  });

  test("K-1 an empty initialization is not stored", async () => {
    await taken(cluster("uninitialized", { existingVpcId }));
    await refused(change(`${clusters}/uninitialized/status`, { status: { initialization: {} } }), "initialization");
  });

  test("API-1 a status goes by its own way, and nothing else does", async () => {
    await taken(cluster("ways", { existingVpcId }));
    const both = { spec: { vpcConfig: { name: "x" } }, status: { ready: true } };
    const byMain = await taken(change(`${clusters}/ways`, both), 200);
    expect([byMain.spec["vpcConfig"], byMain.status?.["ready"]]).toEqual([{ name: "x" }, undefined]);
    const byStatus = await taken(
      change(`${clusters}/ways/status`, { ...both, spec: { vpcConfig: { name: "y" } } }),
      200,
    );
    expect([byStatus.spec["vpcConfig"], byStatus.status?.["ready"]]).toEqual([{ name: "x" }, true]);
  });

  test("API-2 two managers apply conditions of one list without taking them from each other", async () => {
    await taken(cluster("shared", { existingVpcId }));
    const condition = (type: string) => ({
      type,
      status: "True",
      reason: "Ready",
      message: "",
      lastTransitionTime: "2026-01-19T22:00:00Z",
      observedGeneration: 1,
    });
    const apply = (manager: string, type: string) =>
      ask(
        "PATCH",
        `${clusters}/shared/status?fieldManager=${manager}&force=true`,
        { ...made("CAPTCluster", "shared", {}), spec: undefined, status: { conditions: [condition(type)] } },
        { "content-type": "application/apply-patch+yaml" },
      );
    await taken(apply("capt-infrastructure", "Ready"), 200);
    const { status } = await taken(apply("somebody", "example.com/Audited"), 200);
    expect(status?.["conditions"]).toMatchObject([{ type: "Ready" }, { type: "example.com/Audited" }]);
  });

  test("API-3 a condition says why, in one word", async () => {
    await taken(cluster("reasons", { existingVpcId }));
    const say = (reason: string, more: object = {}) => {
      const lastTransitionTime = "2026-01-19T22:00:00Z";
      const conditions = [{ type: "Ready", status: "True", message: "", lastTransitionTime, reason, ...more }];
      return change(`${clusters}/reasons/status`, { status: { conditions } });
    };
    await refused(say(""), "reason");
    await refused(say("not a word"), "reason");
    await refused(say("Ready", { observedGeneration: -1 }), "observedGeneration");
    await taken(say("Ready"), 200);
  });

  test("a control plane has a version, and networks as addresses with a length", async () => {
    const plane = (name: string, spec: object) =>
      make(planes, made("CAPTControlPlane", name, { workspaceTemplateRef: { name: "cp" }, ...spec }));
    for (const [i, version] of ["1.31", "v1.31.0", "1.31.2+build.1", "v1.31.0-rc.1"].entries())
      await taken(plane(`version-${i}`, { version }));
    for (const version of ["1", "latest", "1.x", ""]) await refused(plane("bad", { version }), "spec.version");
    const cidrs = (publicCIDRs: readonly string[]) => ({
      version: "1.31",
      controlPlaneConfig: { region, endpointAccess: { public: true, publicCIDRs } },
    });
    const { spec } = await taken(plane("cidrs", cidrs(["10.0.0.0/8", "fd00::/8"])));
    expect(spec["controlPlaneConfig"]).toMatchObject({ endpointAccess: { private: false } });
    await refused(plane("bad", cidrs(["10.0.0.0"])), "publicCIDRs");
  });

  test("TPL-1 every template is called after what it makes", async () => {
    const names = definitions().map(({ spec }) => spec.names.kind);
    const makers = names.filter((name) => name.endsWith("Template") && name !== "WorkspaceTemplate");
    expect(makers.sort()).toEqual(["CAPTClusterTemplate", "CAPTControlPlaneTemplate", "CaptMachineTemplate"]);
    for (const name of makers) expect(names).toContain(name.replace(/Template$/, ""));
    const spec = { template: { spec: { region } } };
    await taken(make(at(infrastructure, "captclustertemplates"), made("CAPTClusterTemplate", "sourceless", spec)));
  });

  test("TPL-3 what looks like a blank in a template of a ClusterClass stays as it is", async () => {
    const variables = { cidr: blank("cidr") };
    const object = made("CAPTClusterTemplate", "blank", { template: { spec: { region, variables } } });
    const { spec } = await taken(make(at(infrastructure, "captclustertemplates"), object));
    expect(spec["template"]).toMatchObject({ spec: { variables } });
  });

  test.each([
    [
      "CAPTClusterTemplate",
      infrastructure,
      "captclustertemplates",
      { region, existingVpcId },
      { existingVpcId: "vpc-2" },
    ],
    [
      "CAPTControlPlaneTemplate",
      controlPlane,
      "captcontrolplanetemplates",
      { workspaceTemplateRef: { name: "a" } },
      { version: "1.31" },
    ],
    [
      "CaptMachineTemplate",
      infrastructure,
      "captmachinetemplates",
      { workspaceTemplateRef: { name: "a" }, nodeType: "Fargate" },
      { instanceType: "a" },
    ],
  ] as const)(
    "TPL-2 a %s changes only where Cluster API asks what would be",
    async (kind, group, plural, spec, other) => {
      const path = at(group, plural);
      await taken(make(path, made(kind, "still", { template: { spec } })));
      const edit = { spec: { template: { spec: other } } };
      const noted = { ...edit, metadata: { annotations: { "topology.cluster.x-k8s.io/dry-run": "" } } };
      await refused(change(`${path}/still`, edit), "spec.template.spec cannot be changed");
      await refused(change(`${path}/still`, edit, "?dryRun=All"), "spec.template.spec cannot be changed");
      await refused(change(`${path}/still`, noted), "spec.template.spec cannot be changed");
      await taken(change(`${path}/still`, noted, "?dryRun=All"), 200);
      await taken(change(`${path}/still`, { metadata: { labels: { a: "b" } } }), 200);
    },
  );

  test("a template of a Workspace may have blanks anywhere, and is not filled in", async () => {
    const forProvider = { source: blank("source"), module: blank("module"), vars: [{ key: "a", value: blank("a") }] };
    const object = made("WorkspaceTemplate", "blank", { template: { spec: { forProvider } } });
    const { spec } = await taken(make(at(infrastructure, "workspacetemplates"), object));
    expect(spec["template"]).toEqual({ spec: { forProvider } });
  });

  test("machines are scaled, and have what was left out", async () => {
    const machine = {
      nodeGroupRef: { name: "g", namespace: "default" },
      workspaceTemplateRef: { name: "m" },
      instanceType: "m5.large",
    };
    const path = at(infrastructure, "captmachinedeployments");
    const object = made("CaptMachineDeployment", "workers", {
      template: { spec: machine },
      strategy: { rollingUpdate: {} },
    });
    const { spec } = await taken(make(path, object));
    expect(spec).toMatchObject({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      minReadySeconds: 0,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    await taken(change(`${path}/workers/scale`, { spec: { replicas: 3 } }), 200);
    expect((await taken(ask("GET", `${path}/workers`), 200)).spec["replicas"]).toBe(3);
  });
}

/** What has to be there before the tests run. */
export const given = () => [...definitions(), templatePolicy, templatePolicyBinding];
