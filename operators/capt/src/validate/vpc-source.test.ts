import { describe, expect, test } from "vitest";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { vpcViolation } from "./vpc-source.ts";

type Spec = Partial<CAPTCluster["spec"]>;
const region = "eu-west-1";
const vpcTemplateRef = { name: "vpc" };
const existingVpcId = "vpc-1";
const of = (spec: Spec, status?: CAPTCluster["status"]) =>
  vpcViolation({ spec: { region, ...spec }, ...(status === undefined ? {} : { status }) });

describe("CC-V1 exactly one source of the network", () => {
  test("is fine, whichever it is", () => {
    expect(of({ vpcTemplateRef })).toBeUndefined();
    expect(of({ existingVpcId })).toBeUndefined();
    expect(of({ vpcTemplateRef, existingVpcId: "" })).toBeUndefined();
  });

  test("is broken by two, and by none", () => {
    const both = "vpcTemplateRef and existingVpcId are mutually exclusive";
    expect(of({ vpcTemplateRef, existingVpcId })).toEqual({ rule: "CC-V1", message: both });
    const none = { rule: "CC-V1", message: "one of vpcTemplateRef or existingVpcId is required" };
    expect(of({})).toEqual(none);
    expect(of({ existingVpcId: "" })).toEqual(none);
  });
});

test("CC-V2 only a network that we make can be retained", () => {
  expect(of({ vpcTemplateRef, retainVpcOnDelete: true })).toBeUndefined();
  expect(of({ existingVpcId, retainVpcOnDelete: false })).toBeUndefined();
  expect(of({ existingVpcId, retainVpcOnDelete: true })).toEqual({
    rule: "CC-V2",
    message: "retainVpcOnDelete requires vpcTemplateRef",
  });
});

describe("CC-V3 the source of a network that is there", () => {
  const initialization = { provisioned: true };
  const made = { initialization, vpcId: "vpc-2", vpcWorkspaceName: "demo-net-vpc" };
  const found = { initialization, vpcId: existingVpcId };
  const broken = { rule: "CC-V3", message: "the VPC source cannot change after provisioning" };

  test("does not change", () => {
    expect(of({ existingVpcId }, made)).toEqual(broken);
    expect(of({ vpcTemplateRef }, found)).toEqual(broken);
    expect(of({ vpcTemplateRef }, made)).toBeUndefined();
    expect(of({ existingVpcId: "vpc-3" }, found)).toBeUndefined();
  });

  test("may change as long as nothing is there, and is not guessed where the status was lost", () => {
    expect(of({ existingVpcId }, { vpcWorkspaceName: "demo-net-vpc" })).toBeUndefined();
    expect(of({ vpcTemplateRef }, { initialization })).toBeUndefined();
    expect(of({ vpcTemplateRef }, {})).toBeUndefined();
  });
});
