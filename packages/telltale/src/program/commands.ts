// All commands. One entry each; what does it is loaded when it is called.
import type { Command, Option } from "./command.ts";

const some: Option = { value: "a,b", means: "only these operators; all where it is left out" };
const json: Option = { means: "for machines: JSON on the standard output" };
const cluster: Readonly<Record<string, Option>> = {
  kubeconfig: { value: "FILE", means: "this kubeconfig; else KUBECONFIG, ~/.kube/config, or the pod's own account" },
  context: { value: "NAME", means: "this context of it" },
};
const inNamespace: Option = { short: "n", value: "NAME", means: "where the operator is; each has its own" };
const webhooks: Option = { means: "with webhooks, where the operator has them" };

export const commands: readonly Command[] = [
  {
    name: "up",
    summary: "Starts a cluster in this process, with operators, samples and a live tree of them",
    words: "",
    most: 0,
    options: {
      operators: some,
      once: { means: "wait until every sample has settled, print the tree and end: 0, or 1 and what did not settle" },
      data: { value: "DIR", means: "keep everything there; else TELLTALE_DATA, or ~/.local/state/telltale" },
      memory: { means: "keep nothing" },
      port: { value: "N", means: "listen there, on 127.0.0.1; a free one where it is left out" },
      real: { means: "real programs in place of simulated ones, where they are there" },
      "no-samples": { means: "apply none" },
      timeout: { value: "2m", means: "how long --once waits" },
      json,
      verbose: { short: "v", means: "what operators log, on the standard error" },
    },
    takesSettings: true,
    load: async () => (await import("../commands/up.ts")).run,
  },
  {
    name: "run",
    summary: "Runs operators against a cluster, from here or inside it",
    words: "",
    most: 0,
    options: {
      operators: { value: "a,b", means: "these operators; all that are installed where it is left out" },
      ...cluster,
      namespace: { short: "n", value: "NAME", means: "where their Leases are; else POD_NAMESPACE, or each its own" },
      "no-leader-election": { means: "work at once: no other process runs the same" },
      host: { value: "ADDRESS", means: "where probes and metrics are answered: 127.0.0.1" },
      port: { value: "N", means: "of the first operator: 8080; further ones have the next ports. 0: free ones" },
      webhooks: { means: "serve webhooks, with certificates of its own in a Secret" },
      "webhook-port": { value: "N", means: "of the webhooks: 9443" },
      "log-level": { value: "LEVEL", means: "debug, info, warn or error" },
    },
    takesSettings: true,
    more: [
      "Settings of an operator are --<operator>.<flag>, or the variables of its README.",
      "Lines of JSON are written to the standard output. /healthz, /readyz and /metrics are answered at the port.",
    ].join("\n"),
    load: async () => (await import("../commands/run.ts")).run,
  },
  {
    name: "tree",
    summary: "Who owns whom, how each is, and since when",
    words: "[KIND [NAME]]",
    most: 2,
    options: {
      ...cluster,
      namespace: { short: "n", value: "NAME", means: "only there; everywhere where it is left out" },
      all: { short: "a", means: "also what is well and built into Kubernetes, which is only counted otherwise" },
      watch: { short: "w", means: "keep it live" },
      json,
    },
    load: async () => (await import("../commands/tree.ts")).run,
  },
  {
    name: "why",
    summary: "What is wrong, who is to blame, since when, what it means, and what to do",
    words: "[KIND [NAME]]",
    most: 2,
    options: {
      ...cluster,
      namespace: { short: "n", value: "NAME", means: "only there; everywhere where it is left out" },
      json,
    },
    load: async () => (await import("../commands/why.ts")).run,
  },
  {
    name: "crds",
    summary: "Prints CustomResourceDefinitions",
    words: "[OPERATOR...]",
    most: 10,
    options: { namespace: inNamespace, webhooks, json },
    completes: "operators",
    load: async () => (await import("../commands/manifests.ts")).crds,
  },
  {
    name: "rbac",
    summary: "Prints an operator's account and exactly the rights that it needs",
    words: "[OPERATOR...]",
    most: 10,
    options: { namespace: inNamespace, webhooks, json },
    takesSettings: true,
    completes: "operators",
    load: async () => (await import("../commands/manifests.ts")).rbac,
  },
  {
    name: "install",
    summary: "Brings an operator's definitions and roles to a cluster, and with --image the operator",
    words: "OPERATOR...",
    most: 10,
    options: {
      ...cluster,
      namespace: inNamespace,
      image: { value: "IMAGE", means: "run it there, from this image" },
      webhooks,
      "dry-run": { means: "only print what would be applied" },
      json,
    },
    takesSettings: true,
    completes: "operators",
    more: "The operator `all` is every one of them.",
    load: async () => (await import("../commands/install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Takes away what install brought",
    words: "OPERATOR...",
    most: 10,
    options: {
      ...cluster,
      namespace: inNamespace,
      crds: { means: "definitions and namespaces too; refused while there are objects" },
      json,
    },
    completes: "operators",
    more: "The operator `all` is every one of them.",
    load: async () => (await import("../commands/install.ts")).uninstall,
  },
];
