// Objects of our kinds, as small as they can be, for tests.
import type { Provider, VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../src/kinds/index.ts";

export const classSpec: VMClass["spec"] = { cpu: 2, memory: "4Gi", diskDefaults: { size: "10500Mi", type: "thick" } };

export const provider = (type: Provider["spec"]["type"], defaults?: Provider["spec"]["defaults"]): Provider => ({
  apiVersion: "infra.virtrigaud.io/v1beta1",
  kind: "Provider",
  metadata: { name: "box", namespace: "demo" },
  spec: {
    type,
    endpoint: "tcp://127.0.0.1:1",
    credentialSecretRef: { name: "c" },
    runtime: { image: "i" },
    ...(defaults && { defaults }),
  },
});

export const vm = (spec: Partial<VirtualMachine["spec"]> = {}): Pick<VirtualMachine, "metadata" | "spec"> => ({
  metadata: { name: "web", namespace: "demo" },
  spec: { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" }, ...spec },
});

export const network = (
  spec: VMNetworkAttachment["spec"],
  status?: VMNetworkAttachment["status"],
): VMNetworkAttachment => ({
  apiVersion: "infra.virtrigaud.io/v1beta1",
  kind: "VMNetworkAttachment",
  metadata: { name: "lan", namespace: "demo" },
  spec,
  ...(status && { status }),
});

export const image = (source: VMImage["spec"]["source"], status?: VMImage["status"]): VMImage => ({
  apiVersion: "infra.virtrigaud.io/v1beta1",
  kind: "VMImage",
  metadata: { name: "tiny", namespace: "demo" },
  spec: { source },
  ...(status && { status }),
});

export const small: VMClass = {
  apiVersion: "infra.virtrigaud.io/v1beta1",
  kind: "VMClass",
  metadata: { name: "small", namespace: "demo" },
  spec: classSpec,
};
