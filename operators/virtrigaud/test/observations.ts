// For each condition that can be True: the observation on which that rests, how old it may be, and how it is taken away. The page
// docs/observations.md is made of this table, and observations.test.ts takes each of them away.
import { markdownTable as table } from "@telltale/kinds";
import { virtrigaudKinds } from "../src/kinds/index.ts";

/**
 * What takes the True away. `answer`: the provider stops answering. `report`: the Deployment has no ready pod any more. `object`: the
 * objects that it is about change. `end`: what it tells of comes to its end. `past`: nothing, as it is about the past.
 */
export type Away = "answer" | "report" | "object" | "end" | "past";

export interface Observation {
  readonly rests: string;
  readonly age: string;
  readonly away: Away;
}

const answer = (rests: string, age: string): Observation => ({ rests, age, away: "answer" });
const report = (rests: string): Observation => ({ rests, age: "as fresh as the operator's watch", away: "report" });
const object = (rests: string): Observation => ({ rests, age: "as fresh as the operator's watch", away: "object" });
const end = (rests: string): Observation => ({
  rests,
  age: "stored with the object, until its end is seen",
  away: "end",
});
const past = (rests: string): Observation => ({ rests, age: "for ever: it is about the past", away: "past" });

const probed = "a probe: 30 s, or spec.healthCheck.interval, and its timeout";
const connection = `Connected of the Provider: ${probed}`;

export const observations: Readonly<Record<string, Readonly<Record<string, Observation>>>> = {
  VirtualMachine: {
    Ready: answer(
      "the provider's description of the machine",
      "2 min for one that is on and has an address, 5 min for one that is off, 10 s otherwise; an outage counts at once, 50 ms for each machine of the provider, when the Provider reports it: its Deployment has no ready pod, or a probe failed (30 s, give or take a tenth, or spec.healthCheck.interval, and its timeout)",
    ),
    Provisioning: end(
      "the request for it that is stored before it is sent; that the provider is at work on it, its answer: 5 s",
    ),
    Reconfiguring: answer(
      "the request for a change that is stored, and that the provider answers what became of it",
      "5 s",
    ),
    Deleting: end("the deletion of the object, and the request for it"),
  },
  Provider: {
    Ready: answer("the provider's answer to a health check", probed),
    Healthy: answer("the provider's answer to a health check", probed),
    Connected: answer("that the provider answered, whatever it said", probed),
    RuntimeReady: report(
      "ready pods in the status of its Deployment; elsewhere, that its endpoint answered the last probe",
    ),
    RolloutComplete: report("the status of its Deployment, for the generation that the operator wrote"),
    TLSConfigured: object("its spec: that a Secret is named, not that its certificates work, which Connected tells"),
    CapabilitiesReported: answer("the provider's answer to the question what it can do, put every 5 min", probed),
    ProviderRuntimeReady: report("as RuntimeReady"),
    ProviderAvailable: answer("as Healthy", probed),
  },
  VMMigration: {
    Ready: past("that the new machine was made, and checked as the spec asks, at completionTime"),
    Validating: end("that it has not come further: the reason says what it waits for"),
    Snapshotting: end("the VMSnapshot that it made"),
    Exporting: answer("what the old provider says of the export", "30 s"),
    Transferring: end("that the export has ended; what is staged is being checked, or converted by a Job"),
    Importing: answer("what the new provider says of the import", "30 s"),
    Failed: past("what the provider, the server or the operator's clock said of the last attempt"),
  },
  VMSet: {
    Ready: answer("Ready of its VirtualMachines", "as theirs"),
    Progressing: object("which VirtualMachines there are, and their Ready"),
    ReplicaFailure: object("the server's answer to the last creation or deletion, and Ready of its VirtualMachines"),
    UpdateInProgress: object("the revision of its VirtualMachines"),
    Scaling: object("how many VirtualMachines there are"),
  },
  VMPlacementPolicy: {
    Ready: answer("its spec, a table of what each type of provider can keep, and that one of them answers", connection),
    Validated: object("its spec, and the machines and classes that use it"),
    Conflicts: object("the specs of the other policies of its namespace"),
    Supported: answer("a table of what each type of provider can keep, and that one of them answers", connection),
  },
  VMSnapshot: {
    Ready: answer("the provider's list of snapshots of the machine; of a schedule, its spec", "1 h"),
    Creating: answer("the provider's answer to the request, and what it says of its task", "10 s"),
    Deleting: end("the deletion of the object, and the request for it"),
    Expired: object("its creationTime, its spec and the operator's clock"),
  },
  VMClass: {
    Ready: answer("its spec, a table of what each type of provider can do, and that one that can answers", connection),
    Validated: object("its spec"),
    Supported: answer("a table of what each type of provider can do, and that one that can answers", connection),
  },
  VMImage: {
    Ready: answer(
      "that the provider said that it had prepared it, and that it answers: it is not asked again whether it still has it",
      connection,
    ),
    Downloading: answer("what the provider says of its task", "30 s"),
    Importing: answer("what the provider says of its task", "30 s"),
    Validated: object("its spec; the checksum, where one is given, that the provider checked when it prepared it"),
  },
  VMClone: {
    Ready: past("that the copy was made, and came to be what the spec asks, at completionTime"),
    Cloning: answer("the provider's answer to the request, and what it says of its task", "10 s"),
    Customizing: end("that the copy was made, and that its guest has not reported yet"),
    Failed: past("what the provider, the server or the operator's clock said of the last attempt"),
  },
  VMNetworkAttachment: {
    Ready: answer("its spec, a table of what each type of provider can do, and that one that can answers", connection),
    Configuring: object("its ConfigMap, and the machines on it"),
    Validated: object("its spec, and the addresses that machines on it ask for"),
  },
};

/** Every condition that can be True: `Kind type`. */
export const claims: readonly string[] = virtrigaudKinds.flatMap(({ kind, conditions }) =>
  Object.entries(conditions.types)
    .filter(([, { reasons }]) => Object.values(reasons).some(({ on }) => on.includes("True")))
    .map(([type]) => `${kind} ${type}`),
);

const ends: Readonly<Record<Away, string>> = {
  answer: "the provider does not answer",
  report: "the Deployment reports no ready pod",
  object: "the objects change",
  end: "its end is seen",
  past: "never",
};

export const observationTables = (): string =>
  virtrigaudKinds
    .map(({ kind }) => {
      const rows = Object.entries(observations[kind] ?? {}).map(([type, { rests, age, away }]) => {
        return [`\`${type}\``, rests, age, ends[away]];
      });
      return [
        `## ${kind}`,
        table(["True", "Rests on", "Which may be as old as", "Is not True any more when"], rows),
      ].join("\n\n");
    })
    .join("\n\n");
