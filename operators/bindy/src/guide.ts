// The documents that are made from the kinds and the reasons: the troubleshooting guide (13) and the reference. Pure.
import { referencesOf, markdownTable as table } from "@telltale/kinds";
import { mapConnectionError, mapHttpErrorToReason } from "./http-errors.ts";
import { bindyKinds } from "./manifests/crds.ts";
import { type Meaning, meanings, type ReasonName } from "./meanings.ts";

const reasons = Object.entries(meanings) as readonly (readonly [ReasonName, Meaning])[];

/** `docs/status-conditions.md` */
export const troubleshootingGuide = (): string =>
  [
    intro,
    "## What the reasons say, and what to do",
    "Where nothing is to be done there is no row.",
    table(["Reason", "Means", "Usual cause", "Look", "Do"], reasons.filter(isTrouble).map(troubleRow)),
    "## HTTP codes",
    "What Bindcar answers, or what stands between the operator and Bindcar.",
    table(["Code", "Reason", "Means", "First step"], codes.map(codeRow)),
    "## Reasons that need nobody",
    table(
      ["Reason", "Means"],
      reasons.filter((it) => !isTrouble(it)).map(([name, { means }]) => [code(name), means]),
    ),
  ]
    .join("\n\n")
    .concat("\n");

const intro = `# Read the status, from the cluster down to the pod

Made from the reasons of the kinds; \`npx vitest run operators/bindy/test/documents.test.ts -u\` brings it up to date.

Every object has one condition \`Ready\` for the whole of it. A \`Bind9Cluster\` has one more for each instance, \`Bind9Instance-{i}\`, and
a \`Bind9Instance\` one for each pod, \`Pod-{i}\`. The second word of a child's message is its name. So the way down is always the same:

1. \`kubectl get b9gc\`: not ready? The message names the clusters.
2. \`kubectl get b9c -n NS NAME -o jsonpath='{range .status.conditions[*]}{.type}{"\\t"}{.status}{"\\t"}{.reason}{"\\t"}{.message}{"\\n"}{end}'\`:
   find the \`Bind9Instance-{i}\` that is \`False\`; its message names the instance.
3. The same command with \`b9\` and the name of the instance: find the \`Pod-{i}\` that is \`False\`; its message names the pod.
4. \`kubectl describe pod POD\`, \`kubectl logs POD -c bind9\`, \`kubectl logs POD -c api\`.

The status says whether it is well, the reason where to look, \`lastTransitionTime\` since when. The reason \`AllReady\` is always of a whole,
the reason \`Ready\` always of one child.

## From a cluster to a pod

\`\`\`
$ kubectl get b9c production-dns
NAME             VERSION   PRIMARY   SECONDARY   READY   AGE
production-dns   9.18      2         1           False   2d

$ kubectl get b9c production-dns -o jsonpath=...
Ready             False   PartiallyReady       2/3 instances are ready
Bind9Instance-0   True    Ready                Instance production-dns-primary-0 is ready (1/1 pods)
Bind9Instance-1   True    Ready                Instance production-dns-primary-1 is ready (1/1 pods)
Bind9Instance-2   False   BindcarUnreachable   Instance production-dns-secondary-0 cannot connect to Bindcar API (0/1 pods)

$ kubectl get b9 production-dns-secondary-0 -o jsonpath=...
Ready   False   BindcarUnreachable   No pods are ready: Cannot connect to Bindcar API
Pod-0   False   BindcarUnreachable   Pod production-dns-secondary-0-7d9f8c6b5-xyz34 cannot connect to Bindcar API

$ kubectl logs production-dns-secondary-0-7d9f8c6b5-xyz34 -c api
\`\`\`

## Commands

Only the children that are not well:

\`\`\`sh
kubectl get b9c NAME -o json | jq '.status.conditions[] | select(.status!="True" and .type!="Ready")'
\`\`\`

All instances with trouble at Bindcar:

\`\`\`sh
kubectl get b9 -A -o json | jq -r '.items[] | select(any(.status.conditions[]?; .reason|test("Bindcar|Gateway"))) | "\\(.metadata.namespace)/\\(.metadata.name)"'
\`\`\`

Wait for all of a cluster, or for one child of it:

\`\`\`sh
kubectl wait b9c/NAME --for=condition=Ready --timeout=10m
kubectl wait b9c/NAME --for=condition=Bind9Instance-2
\`\`\``;

const isTrouble = ([, { cause }]: readonly [ReasonName, Meaning]): boolean => cause !== undefined;

const troubleRow = ([name, { means, cause = "", look = "", fix }]: readonly [ReasonName, Meaning]) => [
  code(name),
  means,
  cause,
  look,
  fix,
];

interface Code {
  readonly number: number | undefined;
  readonly means: string;
  readonly step: string;
}

/** What a person makes of them (13.3). */
const codes: readonly Code[] = [
  { number: undefined, means: "nothing answered", step: "is the `api` container running?" },
  { number: 400, means: "the request is refused", step: "the log of `api`, and the versions" },
  { number: 401, means: "the token is not recognised", step: "token, TokenReview rights" },
  { number: 403, means: "the token is not allowed", step: "allow-list, policies of the service mesh" },
  { number: 404, means: "the zone is not on that pod", step: "wait for one pass, then look at the DNSZone" },
  { number: 429, means: "too many requests", step: "raise `RATE_LIMIT_BURST`" },
  { number: 500, means: "Bindcar or named failed", step: "the logs of both containers" },
  { number: 501, means: "Bindcar is too old", step: "use a newer image" },
  { number: 502, means: "something between the operator and the pod", step: "service mesh, policies" },
  { number: 503, means: "something between the operator and the pod", step: "is the pod restarting?" },
  { number: 504, means: "something between the operator and the pod", step: "the network" },
];

function codeRow({ number, means, step }: Code): readonly string[] {
  const [reason] = number === undefined ? mapConnectionError() : mapHttpErrorToReason(number);
  return [number === undefined ? "none" : String(number), code(reason), means, step];
}

/** `docs/api.md` */
export const apiReference = (): string =>
  [
    "# Reference\n\nMade from the kinds; `npx vitest run operators/bindy/test/documents.test.ts -u` brings it up to date.",
    "## A status with children",
    hierarchy,
    "## Reasons",
    table(
      ["Reason", "Means", "Do"],
      reasons.map(([name, { means, fix }]) => [code(name), means, fix]),
    ),
    ...referencesOf(bindyKinds, coreField),
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");

const hierarchy = `\`Ready\` is the whole object, each \`Bind9Instance-{i}\` one instance of a cluster, each \`Pod-{i}\` one pod of an instance. Numbers begin at 0
and stay with what they were given to. A \`Bind9GlobalCluster\` has \`Ready\` alone, and its message names the clusters.

\`\`\`yaml
# of a Bind9Cluster
status:
  observedGeneration: 12
  instanceCount: 3
  readyInstances: 2
  instances: [production-dns-primary-0, production-dns-primary-1, production-dns-secondary-0]
  conditions:
  - { type: Ready, status: "False", reason: PartiallyReady, message: 2/3 instances are ready, lastTransitionTime: "2025-01-18T10:30:00Z" }
  - { type: Bind9Instance-0, status: "True", reason: Ready, message: Instance production-dns-primary-0 is ready (2/2 pods), lastTransitionTime: "2025-01-18T10:28:00Z" }
  - { type: Bind9Instance-1, status: "True", reason: Ready, message: Instance production-dns-primary-1 is ready (2/2 pods), lastTransitionTime: "2025-01-18T10:29:00Z" }
  - { type: Bind9Instance-2, status: "False", reason: PartiallyReady, message: Instance production-dns-secondary-0 is progressing (1/2 pods), lastTransitionTime: "2025-01-18T10:30:00Z" }
\`\`\`

\`\`\`yaml
# of the Bind9Instance production-dns-secondary-0
status:
  replicas: 2
  readyReplicas: 1
  conditions:
  - { type: Ready, status: "False", reason: PartiallyReady, message: 1/2 pods are ready, lastTransitionTime: "2025-01-18T10:30:00Z" }
  - { type: Pod-0, status: "True", reason: Ready, message: Pod production-dns-secondary-0-7d9f8c6b5-abc12 is ready, lastTransitionTime: "2025-01-18T10:28:00Z" }
  - { type: Pod-1, status: "False", reason: BindcarUnreachable, message: Pod production-dns-secondary-0-7d9f8c6b5-xyz34 cannot connect to Bindcar API, lastTransitionTime: "2025-01-18T10:30:00Z" }
\`\`\``;

/** What Kubernetes itself describes is not described again. */
const coreField =
  /(volumes\[\]|volumeMounts\[\]|erviceSpec|service\.spec|resources|envVars\[\]|persistentVolume|emptyDir|selector)[.[]/;

const code = (text: string): string => `\`${text}\``;
