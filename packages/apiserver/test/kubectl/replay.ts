// The recorded transcripts run again: what has to be there before each of them, what happens meanwhile, and which of them
// cannot be compared, with the reason.
import type { Ended } from "../program.ts";
import type { Kubectl } from "./client.ts";
import type { StandIn } from "./stand-in.ts";
import type { Transcript } from "./transcript.ts";

const controllers = "shows what controllers and a kubelet make: pods, replica sets, endpoints, events, revisions";
const setting = "shows the setting of the recording: its context, its user, its ServiceAccount admission";
const kinds = "names kinds that are not served: componentstatuses, apiservices, mutating policies, resource.k8s.io";

const apart: readonly { readonly why: string; readonly ids: readonly number[] }[] = [
  { why: setting, ids: [8, 281, 282, 288] },
  { why: kinds, ids: [7, 253] },
  {
    why: controllers,
    ids: [
      91, 92, 93, 94, 95, 96, 97, 98, 101, 113, 118, 127, 128, 135, 136, 137, 138, 139, 140, 142, 154, 160, 161, 162,
      163, 169, 187, 206, 207, 208, 209, 214, 215, 224, 225, 226, 227, 236, 237, 238, 239, 240, 241, 244, 245, 248, 249,
      256, 257, 258, 260, 262, 299, 300,
    ],
  },
];

/** What a newer client says in other words than the recorded one; only its exit code is compared. */
const reworded: readonly number[] = [1, 2, 11, 85, 164, 172, 255, 279, 280];

export const isReworded = (id: number): boolean => reworded.includes(id);

export interface Step {
  /** What cannot be compared, but leaves its traces for the later ones. */
  readonly before: readonly Transcript[];
  readonly one: Transcript;
}

export function compared(transcripts: readonly Transcript[]): Step[] {
  const left = new Set(apart.flatMap(({ ids }) => ids));
  const steps: Step[] = [];
  let before: Transcript[] = [];
  for (const one of transcripts) {
    if (left.has(one.id)) before.push(one);
    else {
      steps.push({ before, one: shuffled.includes(one.id) ? { ...one, unordered: true } : one });
      before = [];
    }
  }
  return steps;
}

/** The client follows the order of a Go map; managers are in another order when two writes fall into one second. */
const shuffled: readonly number[] = [83, 185];

/** The client's own complaint when its timeout ends a watch that was opened less than a second before. */
const hasty = /^[IW]\d{4} .*very short watch.*\n/gm;

/** What others did while a watch was open. */
const meanwhile: Readonly<Record<number, { readonly commands: readonly string[]; readonly lines: number }>> = {
  133: {
    commands: [
      `kubectl patch lt checkout -n demo --subresource=status --type=merge -p '{"status":{"phase":"Succeeded"}}'`,
      "kubectl label lt checkout -n demo seen=yes",
    ],
    lines: 4,
  },
  134: {
    commands: ["kubectl annotate deploy web -n demo note=1", "kubectl annotate deploy web -n demo note=2 --overwrite"],
    lines: 2,
  },
  272: { commands: ["kubectl delete cm cfg -n demo"], lines: 1 },
};

export async function replay(kubectl: Kubectl, standIn: StandIn, transcript: Transcript): Promise<Ended> {
  const { id, command, files, env, stdin, setup } = transcript;
  for (const [name, text] of Object.entries(files ?? {})) kubectl.file(name, text);
  if (id === 1) await standIn.node();
  if (id === 37) await standIn.event();
  if (setup !== undefined) await standIn.pods(setup);
  if (command.startsWith("kubectl delete pods -n demo -l show=status")) await standIn.release();
  if (command.startsWith("kubectl delete -n demo -f tables.yaml")) await standIn.unprotect();
  await standIn.settle();
  const others = meanwhile[id];
  const ended =
    others === undefined
      ? await kubectl.sh(command, { env, stdin })
      : await kubectl.watching(command, others.commands, (stdout) => stdout.split("\n").length > others.lines);
  if (command === "kubectl create namespace demo" && ended.exit === 0) await standIn.namespace("demo");
  if (command === "kubectl create ns demo2") await standIn.namespace("demo2");
  // A newer client (seen: 1.36) also says where it has deleted.
  const stdout = ended.stdout.replace(/ deleted from \S+ namespace$/gm, " deleted");
  return { ...ended, stdout, stderr: ended.stderr.replace(hasty, "") };
}
