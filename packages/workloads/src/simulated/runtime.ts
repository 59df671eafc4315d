// The runtime that runs nothing: pods go through their stages by the clock, and go wrong where they are told to.
import type { Ms } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { LogOptions, PodAccess, PodReport, PodRuntime, RuntimeSurroundings } from "../kubelet/pod-runtime.ts";
import { storedContainers } from "../kubelet/stored.ts";
import { controllerOf, isTerminating, nameOf, uidOf } from "../pods/facts.ts";
import { Addresses } from "./addresses.ts";
import { advance } from "./advance.ts";
import { behaviourIn } from "./annotations.ts";
import type { Behaviour } from "./behaviour.ts";
import { logOf } from "./log.ts";
import { isLike } from "./match.ts";
import { missingOf } from "./missing.ts";
import { type Rule, RuleBook, type Rules } from "./rules.ts";
import type { Missing } from "./scene.ts";

export interface SimulatedOptions {
  /** How pods behave where nothing else is said of them. */
  readonly behaviour?: Behaviour;
  readonly rules?: readonly Rule[];
  /** How long the program of a Job runs. Default: it ends as soon as it was seen to run. */
  readonly jobRunTime?: Ms;
  /** Images that cannot be pulled: globs. Default: `invalid*`. */
  readonly badImages?: readonly string[];
  /** `warnings`: only what goes wrong is told. Default. */
  readonly events?: "warnings" | "all";
  /** Whether a pod waits for ConfigMaps, Secrets and claims that it refers to. Default: `check`. */
  readonly references?: "check" | "ignore";
}

export interface SimulatedRuntime extends PodRuntime {
  readonly rules: Rules;
  readonly access: PodAccess;
}

export function simulatedRuntime(options: SimulatedOptions = {}): SimulatedRuntime {
  const {
    behaviour = {},
    jobRunTime = 0,
    badImages = ["invalid*"],
    events = "warnings",
    references = "check",
  } = options;
  const addresses = new Addresses();
  // Whom to wake when a rule changes, and who reads a log. Nothing of it is missed after a restart.
  const known = new Map<string, { readonly namespace: string; readonly name: string }>();
  const readers: Readers = new Map();
  let around: RuntimeSurroundings | undefined;
  const rules = new RuleBook(
    options.rules ?? [],
    () => known.keys(),
    () => {
      for (const pod of known.values()) around?.wake(pod);
    },
  );

  const forget = (uid: string) => {
    known.delete(uid);
    addresses.free(uid);
    for (const tell of readers.get(uid) ?? []) tell(undefined);
    readers.delete(uid);
  };

  return {
    rules,
    access: access(
      (pod) => logText({ ...behaviour, ...rules.behaviourOf(pod), ...behaviourIn(pod).behaviour }),
      readers,
    ),
    async start(surroundings) {
      around = surroundings;
    },
    async sync(pod, now, refers): Promise<PodReport> {
      const uid = uidOf(pod);
      known.set(uid, { namespace: pod.metadata?.namespace ?? "", name: nameOf(pod) });
      const { behaviour: own, complaints } = behaviourIn(pod);
      const { hasSandbox, ...report } = advance(
        {
          pod,
          behaviour: { ...behaviour, ...rules.behaviourOf(pod), ...own },
          job: controllerOf(pod)?.kind === "Job" ? jobRunTime : undefined,
          missing: references === "ignore" || isTerminating(pod) ? none : missingOf(pod, refers),
          blow: (container, containerID) => rules.blowTo(pod, container, containerID),
          isBadImage: (image) => badImages.some((glob) => isLike(glob, image)),
        },
        now,
      );
      const podIP =
        pod.status?.podIP ?? (hasSandbox && needsAddress(pod) ? addresses.of(uid, holdersIn(refers)) : undefined);
      for (const tell of readers.get(uid) ?? []) tell(report);
      const told = [...complaints, ...(report.events ?? [])];
      return {
        ...report,
        ...(podIP === undefined ? {} : { podIP }),
        events: events === "all" ? told : told.filter(({ type }) => type === "Warning"),
      };
    },
    async drop(uid) {
      forget(uid);
    },
    async stop() {
      for (const uid of [...known.keys()]) forget(uid);
    },
  };
}

const none: Missing = { variables: new Map() };

/** A pod in the network of its node has the node's. One that is going and has none needs none any more. */
const needsAddress = (pod: Pod): boolean => pod.spec?.hostNetwork !== true && !isTerminating(pod);

const holdersIn = ({ holders }: Parameters<PodRuntime["sync"]>[2]) => holders ?? (() => []);

const logText = ({ log = "" }: Behaviour): string => log;

/** By the uid of the pod: who wants to know how it stands. Undefined: it is gone. */
type Readers = Map<string, Set<(report: PodReport | undefined) => void>>;

function access(textOf: (pod: Pod) => string, readers: Readers): PodAccess {
  return {
    async logs(pod, options) {
      return read(pod, logOf(textOf(pod), pod, options), options, readers);
    },
    exec(pod) {
      const what = `pod ${pod.metadata?.namespace ?? ""}/${nameOf(pod)} is simulated and runs no program`;
      return Promise.reject(new Error(`${what}; use the process runtime to run commands in it`));
    },
    address: () => undefined,
  };
}

async function* read(pod: Pod, bytes: Uint8Array, options: LogOptions, readers: Readers): AsyncIterable<Uint8Array> {
  if (bytes.length > 0) yield bytes;
  if (options.follow && !options.previous) await over(pod, options, readers);
}

/** Until the container has ended, the pod is gone, or nobody listens any more. */
function over(pod: Pod, { container, signal }: LogOptions, readers: Readers): Promise<void> {
  if (signal.aborted || storedContainers(pod).get(container)?.state.is !== "running") return Promise.resolve();
  return new Promise((resolve) => {
    const all = readers.get(uidOf(pod)) ?? new Set();
    const end = () => {
      all.delete(tell);
      if (all.size === 0) readers.delete(uidOf(pod));
      resolve();
    };
    const tell = (report: PodReport | undefined) => {
      const reports = report === undefined ? [] : [...report.initContainers, ...report.containers];
      if (reports.find(({ name }) => name === container)?.state.is !== "running") end();
    };
    readers.set(uidOf(pod), all.add(tell));
    signal.addEventListener("abort", end, { once: true });
  });
}
