// On what each True rests: who was asked, how old the answer may be, and what is said without it. The page in docs is made from
// this table, and a test takes each of them away.
import { markdownTable as table } from "@telltale/kinds";
import { coalesced, nextLookMs } from "./moments.ts";
import { maxAnswerAgeMs, maxProbePauseMs, maxUnnoticedLossMs } from "./prober/index.ts";

export interface Observation {
  readonly kind: string;
  /** `Ready`; of children: `Pod-{i}`. */
  readonly condition: string;
  readonly id: ObservationId;
  /** How long the condition may stay True without it. */
  readonly maxAgeMs: number;
}

/** What can be observed, and what is said while it is not. */
const sources = {
  kubelet: {
    what: "the condition Ready of the pod: its kubelet's word, until the cluster takes the node for lost (40 s by default)",
    without: "`Unknown`, `NotReady`",
  },
  reachable: {
    what: "Bindcar in the pod can be reached: it is asked every 30 s, more or less, and fails twice",
    without: "`False`, `BindcarUnreachable`; of zones and records `Unknown`",
  },
  answer: {
    what: "Bindcar in the pod has answered a probe; one that says it is busy (429) has not",
    without: "`Unknown`, `NotProbed`",
  },
  zoneRead: {
    what: "Bindcar in each pod has told what the zone is there: asked at each change, and every 5 minutes",
    without: "`Unknown`, with the reason of the answer that came instead",
  },
  secondarySerial: {
    what: "Bindcar of a secondary has told an old serial, for 120 s, or none",
    without: "`Unknown`, with the reason of the answer that is missing",
  },
  missingPod: {
    what: "the pods of each instance, by the watch: one has none that runs",
    without: "`False`, `ReconcileComplete`",
  },
  zoneResult: {
    what: "what the DNSZone found on its primaries; of several, those that can be reached",
    without: "`Unknown`, with the reason of the answer that is missing",
  },
  zoneObject: { what: "the DNSZone that selects the record", without: "`False`, `ZoneNotFound` or `NotSelected`" },
} as const;

export type ObservationId = keyof typeof sources;

/** From a pod to its instance, and so on up. */
const levelMs = 2 * coalesced;
const zoneMs = 5_000;

const podRows = (kind: string, condition: string, levels: number): readonly Observation[] => [
  { kind, condition, id: "kubelet", maxAgeMs: levelMs * levels },
  { kind, condition, id: "reachable", maxAgeMs: maxUnnoticedLossMs + levelMs * levels },
  { kind, condition, id: "answer", maxAgeMs: maxAnswerAgeMs + 2 * maxProbePauseMs + levelMs * levels },
];

const records = ["ARecord", "AAAARecord", "TXTRecord", "CNAMERecord", "MXRecord", "NSRecord", "SRVRecord", "CAARecord"];

export const observations: readonly Observation[] = [
  ...podRows("Bind9Instance", "Pod-{i}", 1),
  ...podRows("Bind9Instance", "Ready", 1),
  ...podRows("Bind9Cluster", "Bind9Instance-{i}", 2),
  ...podRows("Bind9Cluster", "Ready", 2),
  ...podRows("Bind9GlobalCluster", "Ready", 3),
  { kind: "DNSZone", condition: "Ready", id: "reachable", maxAgeMs: maxUnnoticedLossMs + zoneMs },
  { kind: "DNSZone", condition: "Ready", id: "zoneRead", maxAgeMs: nextLookMs.ready + zoneMs },
  { kind: "DNSZone", condition: "Degraded", id: "secondarySerial", maxAgeMs: maxUnnoticedLossMs + zoneMs },
  { kind: "DNSZone", condition: "Progressing", id: "missingPod", maxAgeMs: nextLookMs.notReady + zoneMs },
  ...records.flatMap((kind): readonly Observation[] => [
    { kind, condition: "Ready", id: "zoneResult", maxAgeMs: maxUnnoticedLossMs + 2 * zoneMs },
    { kind, condition: "Ready", id: "zoneObject", maxAgeMs: nextLookMs.notReady + zoneMs },
  ]),
];

/** `docs/observations.md` */
export const observationsPage = (): string =>
  [
    `# On what each True rests

Made from \`src/observations.ts\`; \`npx vitest run operators/bindy/test/documents.test.ts -u\` brings it up to date. A test takes each of these
observations away and sees that the True goes within the time that the table gives. \`Ready\` of a parent rests on the \`Ready\` of each child
for the newest spec of that child; a child whose newest spec nobody has looked at keeps its word for 30 s.`,
    table(["Kind", "Condition", "Rests on", "True without it for", "Then"], observations.map(row)),
    `Times are those of an operator that works and has no more than 20 pods at a time that do not answer. They begin anew when it starts: until
two of its own probes have failed it goes by what its predecessor has stored in \`status.pods\`.

- The zones and records of a secondary may be up to 120 s older than those of its primaries before it counts as behind.
- Of a secondary with \`primaryServers\` only that it has the zone is asked, not whether the servers outside have a newer one.
- \`zonesCount\` is how many zones pods were found to have when they were last asked; \`readyReplicas\` how many pods are known to be ready.
- The condition \`bindy.firestoned.io/zones-loaded\` of a pod is set once every zone was found there, and stays while the pod lives.`,
  ]
    .join("\n\n")
    .concat("\n");

function row({ kind, condition, id, maxAgeMs }: Observation): readonly string[] {
  const { what, without } = sources[id];
  return [kind, `\`${condition}\``, what, `${Math.ceil(maxAgeMs / 1000)} s`, without];
}
