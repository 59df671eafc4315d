import { describe, expect, it } from "vitest";
import {
  apply,
  chain,
  cluster,
  hidden,
  plane,
  planeWorld,
  ran,
  readyPlane,
  said,
  t0,
  waitingPlane,
  written,
} from "../../test/worlds.ts";
import { type Credentials, none } from "./credentials.ts";
import { chooseEndpoint } from "./endpoint-choice.ts";
import { plan } from "./plan.ts";
import { sketch } from "./sketch.ts";

const endpoint = { cluster_endpoint: "https://10.0.0.1:6443" };
const done = ran;
const ready = readyPlane;
const waiting = waitingPlane;

describe("CP-8 the endpoint", () => {
  const of = (spec: object, own: object, data: object, shown: object = {}) =>
    chooseEndpoint(plane(own), cluster(spec), done(data, shown));
  const named = (host: string) => ({ controlPlaneEndpoint: { host, port: 6443 } });

  it("is the Cluster's, else its own, else the Secret's, else the output's", () => {
    const secret = { cluster_endpoint: "https://c:6443", endpoint: "https://d:6443" };
    expect(of(named("a"), named("b"), secret)).toMatchObject({
      by: "cluster",
      endpoint: { host: "a" },
      isDisputed: true,
    });
    expect(of({}, named("b"), secret)).toMatchObject({ by: "spec", endpoint: { host: "b" }, isDisputed: true });
    expect(of({}, {}, secret)).toMatchObject({ by: "run", endpoint: { host: "c" }, isDisputed: false });
    expect(of({}, {}, { endpoint: "https://d:6443" })).toMatchObject({ endpoint: { host: "d" } });
    expect(of({}, {}, {}, { cluster_endpoint: "https://e:6443" })).toMatchObject({ endpoint: { host: "e" } });
    expect(of(named("a"), named("a"), { endpoint: "https://a:6443" })).toMatchObject({ isDisputed: false });
  });

  it("is not what a Cluster says that cannot be used, and that is told", () => {
    const url = { controlPlaneEndpoint: { host: "https://a", port: 443 } };
    expect(of(url, {}, { endpoint: "https://b:6443" })).toMatchObject({
      by: "run",
      endpoint: { host: "b", port: 6443 },
      isDisputed: true,
    });
    expect(of(url, {}, {})).toEqual({ is: "none" });
  });

  it("is none where nobody says one, and invalid where what is said is none", () => {
    expect(of({ controlPlaneEndpoint: { host: "", port: 0 } }, {}, {})).toEqual({ is: "none" });
    expect(of({}, {}, { cluster_endpoint: "http://a" })).toEqual({ is: "invalid", key: "cluster_endpoint" });
  });

  it("K-3 is written to the spec once", () => {
    expect(plan(ready, t0).endpoint).toEqual({ host: "10.0.0.1", port: 6443 });
    expect(plan({ ...ready, it: plane(named("a")) }, t0).endpoint).toBeUndefined();
  });
});

describe("4.7.4 the apply of a control plane", () => {
  it("has all its variables", () => {
    const spec = {
      version: "v1.31.4",
      additionalTags: { team: "a", env: "b" },
      variables: { extra: "1", region: "elsewhere" },
      controlPlaneConfig: {
        region: "us-gov-west-1",
        endpointAccess: { public: true, publicCIDRs: ["10.0.0.0/8"] },
        addons: [{ name: "dns", version: "1" }],
      },
    };
    const { metadata, spec: made } = plan(planeWorld({ it: plane(spec) }), t0).apply ?? {};
    expect(metadata).toEqual({
      name: "demo-cp-eks-controlplane-apply",
      namespace: "t1",
      labels: { "cluster.x-k8s.io/cluster-name": "demo" },
    });
    expect(made).toMatchObject({
      templateRef: { name: "cp", namespace: "t1" },
      writeConnectionSecretToRef: { name: "demo-cp-eks-connection", namespace: "t1" },
    });
    expect(made?.variables).toEqual({
      extra: "1",
      cluster_name: "demo",
      kubernetes_version: "1.31",
      kubernetes_version_full: "v1.31.4",
      region: "us-gov-west-1",
      vpc_id: "vpc-1",
      endpoint_public_access: "true",
      endpoint_private_access: "false",
      endpoint_public_access_cidrs: '["10.0.0.0/8"]',
      addons: '[{"name":"dns","version":"1"}]',
      tags_team: "a",
      tags_env: "b",
      additional_tags: '{"env":"b","team":"a"}',
    });
  });

  it("waits for the apply of the network, and forgets nothing while the network cannot be asked", () => {
    const network = { region: "eu-west-1", vpcId: "vpc-1", applyName: "demo-net-vpc" };
    const world = planeWorld({ infrastructure: { is: "ready", named: "x", network } });
    const made = plan(world, t0).apply;
    expect(made?.spec.waitForWorkspaces).toEqual([{ name: "demo-net-vpc", namespace: "t1" }]);
    const later = planeWorld({
      infrastructure: { is: "waiting", named: "x" },
      chain: chain(undefined, { apply: apply({}, made?.spec) }),
    });
    expect(plan(later, t0).apply).toEqual(made);
  });

  it("is not made before the network is ready, nor without a template", () => {
    expect(plan(planeWorld(waiting), t0).apply).toBeUndefined();
    expect(
      plan(planeWorld({ chain: { class: "None", isForeign: false }, hasTemplate: false }), t0).apply,
    ).toBeUndefined();
  });

  it("CP-11 the kubeconfig has an apply of its own where a template makes it", () => {
    const kubeconfigTemplate = { namespace: "t1", name: "eks-kubeconfig-template" };
    const world = planeWorld({ chain: done(), kubeconfigTemplate, credentials: none });
    expect(plan(world, t0).kubeconfigApply).toMatchObject({
      metadata: { name: "demo-cp-kubeconfig-apply" },
      spec: {
        templateRef: kubeconfigTemplate,
        writeConnectionSecretToRef: { name: "demo-outputs-kubeconfig", namespace: "t1" },
        waitForWorkspaces: [{ name: "demo-cp-eks-controlplane-apply", namespace: "t1" }],
        variables: { cluster_name: "demo", region: "eu-west-1", cluster_endpoint: "https://10.0.0.1:6443" },
      },
    });
    const given = planeWorld({ chain: done({ ...endpoint, kubeconfig: "k" }), kubeconfigTemplate });
    expect(plan(given, t0).kubeconfigApply).toBeUndefined();
  });
});

describe("4.7.3 the network", () => {
  it("is latched once there is an apply", () => {
    const world = planeWorld({ infrastructure: { is: "waiting", named: "CAPTCluster demo-net" } });
    expect([sketch(world).row, said(world).line("InfrastructureReady")]).toEqual([
      "P5",
      "Unknown InfrastructureNotReady",
    ]);
  });

  it("may be none", () => {
    expect(said(planeWorld({ infrastructure: { is: "none" } })).line("InfrastructureReady")).toBe(
      "True NoInfrastructureRef",
    );
  });
});

describe("CP-7 the Secrets", () => {
  const certified = { ...written, certificate: { is: "valid", place: "t1/s", text: hidden("c") } } as const;

  it("are ready only when both were written, as far as there is a certificate", () => {
    expect(said(planeWorld({ ...ready, credentials: certified })).next.secretsReady).toBe(false);
    const both: Credentials = { ...certified, certificateSecret: { is: "ours", live: {}, isCurrent: true } };
    expect(said(planeWorld({ ...ready, credentials: both })).next.secretsReady).toBe(true);
    const wrong: Credentials = { ...written, certificate: { is: "invalid", place: "t1/s", rule: "no" } };
    const seen = said(planeWorld({ ...ready, credentials: wrong }));
    expect([seen.next.secretsReady, seen.line("CertificatesAvailable"), seen.next.ready]).toEqual([
      false,
      "False InvalidCertificate",
      true,
    ]);
  });

  it("SEC-4 are left alone where somebody else made them", () => {
    const foreign: Credentials = {
      ...certified,
      kubeconfigSecret: { is: "foreign", hasValue: true },
      certificateSecret: { is: "foreign", hasValue: true },
    };
    const world = planeWorld({ ...ready, credentials: foreign });
    expect([plan(world, t0).secrets, said(world).line("KubeconfigReady"), said(world).next.ready]).toEqual([
      [],
      "True UserProvided",
      true,
    ]);
    const empty: Credentials = { ...written, kubeconfigSecret: { is: "foreign", hasValue: false } };
    expect(said(planeWorld({ ...ready, credentials: empty })).line("KubeconfigReady")).toBe("False InvalidKubeconfig");
  });
});
