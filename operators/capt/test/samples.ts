// The samples as objects, as an embedded server hands them out, and the Workspaces that they lead to.
import { readdirSync, readFileSync } from "node:fs";
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import {
  CAPTCluster,
  CAPTControlPlane,
  ClusterV1beta1,
  type WorkspaceSpec,
  WorkspaceTemplate,
  WorkspaceTemplateApply,
} from "../src/kinds/index.ts";
import {
  captCrds,
  clusterCrd,
  controlPlaneKinds,
  infrastructureKinds,
  machineKinds,
  workspaceCrd,
} from "../src/manifests/index.ts";
import { render } from "../src/workspace-template-apply/render.ts";

export const folder = new URL("../samples/", import.meta.url);
export const files = readdirSync(folder).sort();
export const namespace = "default";

export interface Made {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly object: KubeObject;
}

export interface Samples {
  readonly server: ApiServer;
  /** As kubectl does it: a wrong or repeated field is an error. */
  apply(file: string): Promise<readonly Made[]>;
}

const kinds: readonly KindRef[] = [
  Secret,
  ...infrastructureKinds,
  ...controlPlaneKinds,
  ...machineKinds,
  ClusterV1beta1,
];

export async function samples(): Promise<Samples> {
  const server = await startApiServer({
    listen: false,
    clock: new VirtualClock(),
    random: seededRandom(1),
    authorization: "always-allow",
    objects: [...captCrds(), workspaceCrd(), clusterCrd("v1beta1")] as readonly KubeObject[],
  });
  const make = async (document: string): Promise<Made> => {
    const name = /^kind: (\S+)$/m.exec(document)?.[1];
    const kind = kinds.find((it) => it.kind === name);
    if (kind === undefined) throw new Error(`a sample of the kind ${name}: add it here`);
    const { status, headers, body } = await server.client({
      method: "POST",
      path: `${kind.group === "" ? "/api" : `/apis/${kind.group}`}/${kind.version}/namespaces/${namespace}/${kind.plural}?fieldValidation=Strict`,
      headers: { "content-type": "application/yaml", accept: "application/json" },
      body: document,
    });
    return { status, warnings: [headers["warning"] ?? []].flat(), object: JSON.parse(body) };
  };
  return {
    server,
    async apply(file) {
      const all: Made[] = [];
      for (const document of documentsOf(file)) all.push(await make(document));
      return all;
    },
  };
}

const documentsOf = (file: string): readonly string[] => readFileSync(new URL(file, folder), "utf8").split(/^---$/m);

const ofKind = <T extends KubeObject>(objects: readonly KubeObject[], { kind }: KindRef<T>): readonly T[] =>
  objects.filter((object): object is T => object.kind === kind);

export interface Module {
  readonly template: string;
  readonly spec: WorkspaceSpec;
}

/** What the operator gives to the template of each purpose (3.6.5, 4.7.4, 4.7.5, 14.1), with values of a likely form. */
const given = {
  vpc: {
    cluster_name: "demo",
    vpc_name: "demo-net-vpc",
    region: "eu-west-1",
    environment: "production",
    namespace,
  },
  controlPlane: {
    cluster_name: "demo",
    kubernetes_version: "1.31",
    kubernetes_version_full: "v1.31.0",
    region: "eu-west-1",
    vpc_id: "vpc-0123456789abcdef0",
    endpoint_public_access: "true",
    endpoint_private_access: "true",
    endpoint_public_access_cidrs: '["192.0.2.0/24"]',
    addons: '[{"name":"coredns"}]',
    additional_tags: '{"team":"platform"}',
  },
  kubeconfig: {
    cluster_name: "demo",
    region: "eu-west-1",
    cluster_endpoint: "https://10.0.0.1:6443",
    cluster_certificate_authority_data: "",
  },
  machine: { instance_type: "m5.large", node_group: "workers", labels: '{"pool":"workers"}', tags: "{}" },
} as const;

/** Every template of a sample, rendered with what its user gives it. A template that nobody uses is no sample. */
export function modulesOf(objects: readonly KubeObject[]): readonly Module[] {
  return ofKind(objects, WorkspaceTemplate).map((template) => {
    const name = template.metadata.name ?? "";
    const rendered = render(template, applyOf(name, variablesFor(objects, name)), []);
    if (rendered.as === "refused") throw new Error(`${name}: ${rendered.reason} ${rendered.message}`);
    return { template: name, spec: rendered.spec };
  });
}

const applyOf = (template: string, variables: Readonly<Record<string, string>>): WorkspaceTemplateApply => ({
  apiVersion: WorkspaceTemplateApply.apiVersion,
  kind: WorkspaceTemplateApply.kind,
  metadata: { name: `${template}-apply`, namespace },
  spec: { templateRef: { name: template }, variables },
});

function variablesFor(objects: readonly KubeObject[], template: string): Readonly<Record<string, string>> {
  for (const { spec } of ofKind(objects, CAPTCluster))
    if (spec.vpcTemplateRef?.name === template) return { ...spec.variables, ...given.vpc };
  for (const { spec } of ofKind(objects, CAPTControlPlane)) {
    if (spec.workspaceTemplateRef.name === template) return { ...spec.variables, ...given.controlPlane };
    if (spec.kubeconfigTemplateRef?.name === template) return given.kubeconfig;
  }
  for (const { spec } of ofKind(objects, WorkspaceTemplateApply))
    if (spec.templateRef.name === template) return spec.variables ?? {};
  if (objects.some(({ kind }) => kind === "CaptMachineDeployment")) return given.machine;
  throw new Error(`nobody uses the template ${template}`);
}
