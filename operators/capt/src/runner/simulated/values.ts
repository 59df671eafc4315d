// What a simulated run puts out: plausible, and always the same for the same Workspace and output. Pure.
import { sha256Hex } from "@telltale/kinds";
import { outputsIn } from "../module.ts";
import type { Output, Outputs } from "../outputs.ts";

/** The outputs that a module declares, with invented values; `overrides` may change them, and add some. */
export function simulatedOutputs(
  workspace: string,
  module: string,
  overrides: Readonly<Record<string, unknown>>,
): Outputs {
  const outputs: Record<string, Output> = {};
  for (const { name, isSensitive } of outputsIn(module))
    outputs[name] = { value: simulatedValue(workspace, name), isSensitive };
  for (const [name, value] of Object.entries(overrides)) {
    if (value === null) delete outputs[name];
    else outputs[name] = { value, isSensitive: outputs[name]?.isSensitive ?? false };
  }
  return outputs;
}

function simulatedValue(workspace: string, name: string): unknown {
  const hex = (length: number, of = name) => sha256Hex(`${workspace}/${of}`).slice(0, length);
  const endpoint = `https://${hex(8, "cluster_endpoint")}.sim.capt.invalid:6443`;
  if (name === "vpc_id") return `vpc-${hex(17)}`;
  if (name === "azs" || name === "availability_zones") return ["sim-a", "sim-b", "sim-c"];
  if (name.endsWith("_subnets")) return [0, 1, 2].map((i) => `subnet-${hex(17, `${name}/${i}`)}`);
  if (name === "cluster_endpoint") return endpoint;
  if (name === "cluster_certificate_authority_data") return authority;
  if (name === "kubeconfig") return kubeconfig(endpoint);
  if (name === "role_exists") return true;
  return `sim-${hex(12)}`;
}

const pem = [
  "-----BEGIN CERTIFICATE-----",
  "TlMgU0lNVUxBVEVEIE5TIFNJTVVMQVRFRCBOUyBTSU1VTEFURUQgTlMgU0lNVUxB",
  "-----END CERTIFICATE-----",
  "",
].join("\n");

const authority = Buffer.from(pem).toString("base64");

const kubeconfig = (server: string): string =>
  [
    "apiVersion: v1",
    "kind: Config",
    "current-context: simulated",
    "clusters:",
    "- name: simulated",
    "  cluster:",
    `    server: ${server}`,
    `    certificate-authority-data: ${authority}`,
    "contexts:",
    "- name: simulated",
    "  context:",
    "    cluster: simulated",
    "    user: simulated",
    "users:",
    "- name: simulated",
    "  user:",
    "    token: simulated",
    "",
  ].join("\n");
