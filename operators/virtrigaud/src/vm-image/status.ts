// What an image says of itself: where it is, what is being done about it, and why not. Pure.
import { formatTime, type Instant, type Ms, plus } from "@telltale/kinds";
import { failureFrom } from "@telltale/runtime";
import { type Draft, text } from "@telltale/status";
import type { ProviderImageStatus, VMImage } from "../kinds/index.ts";
import { taskPolls } from "../link/task.ts";
import { unreachable } from "../reachable.ts";
import { isPrepared, isUnheard, type Reason, standingOf, wordsOf } from "./entry.ts";
import { lateAt } from "./learn.ts";
import { refOf } from "./memory.ts";
import { closed, stateOf } from "./plan.ts";
import { isHeld, isUnanswered, verdictOf } from "./verdict.ts";
import type { Flight, World } from "./world.ts";

type ImageDraft = Draft<typeof VMImage>;

export function status(world: World, draft: ImageDraft, now: Instant): void {
  say(world, draft, now);
  draft.wake(nextLook(world, now));
  // The server did not take the note of what was to be done: that is tried again, and nothing else is lost.
  if (world.trouble !== undefined) draft.fail(failureFrom(world.trouble));
}

/** All of it but when to look again. */
export function say(world: World, draft: ImageDraft, now: Instant): void {
  const { phase, ready, message } = verdictOf(world, now);
  fields(world, draft);
  draft.phase(phase).set({ message });
  if (ready.status === "Unknown") draft.unset("ready").condition("Ready", "Unknown", ready.reason, ready.message);
  else if (ready.status === "True") draft.set({ ready: true }).condition("Ready", true, ready.reason, ready.message);
  else draft.set({ ready: false }).condition("Ready", false, ready.reason, ready.message);
  working(world, draft);
  validated(world, draft);
}

function fields(world: World, draft: ImageDraft): void {
  const { memory, source } = world;
  const { entries, flight, since, progress, facts } = memory;
  const listed = Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1));
  const availableOn = listed.filter(([key, { available }]) => available && isHeld(world, key)).map(([key]) => key);
  const declared = source.is === "import" && availableOn.length > 0 ? source.format : undefined;
  const format = facts.format ?? declared;
  draft.unset("prepareTaskRef", "lastPrepareTime", "importProgress", "providerStatus", "availableOn");
  draft.set({
    ...(listed.length === 0 ? {} : { providerStatus: Object.fromEntries(listed) }),
    ...(availableOn.length === 0 ? {} : { availableOn }),
    ...(flight === undefined ? {} : { prepareTaskRef: refOf(flight) }),
    ...(since === undefined ? {} : { lastPrepareTime: formatTime(since) }),
    ...(progress === undefined ? {} : { importProgress: progress }),
    ...(facts.size === undefined ? {} : { size: facts.size }),
    ...(facts.checksum === undefined ? {} : { checksum: facts.checksum }),
    ...(format === undefined ? {} : { format }),
  });
}

/** `Downloading` and `Importing`: true while it is so. */
function working(world: World, draft: ImageDraft): void {
  const { problem, memory, finding } = world;
  const { flight, entries } = memory;
  if (flight !== undefined && problem === undefined) {
    if (isUnanswered(world)) {
      const said = unreachable(flight.key);
      draft.condition("Importing", "Unknown", "ProviderUnreachable", said);
      if (flight.stage === "Downloading") draft.condition("Downloading", "Unknown", "ProviderUnreachable", said);
      else ended(draft, "Downloading", false);
      return;
    }
    const isDownloading = flight.stage === "Downloading";
    draft.condition("Importing", true, "Importing", text`importing image into provider "${flight.key}"`);
    if (isDownloading) draft.condition("Downloading", true, "Importing", text`provider "${flight.key}" fetches it`);
    else ended(draft, "Downloading", false);
    return;
  }
  const key = "key" in finding ? finding.key : "";
  const entry = entries[key];
  const standing = entry === undefined ? undefined : standingOf(entry);
  const words = entry === undefined ? text`` : wordsOf(entry);
  if (standing?.is === "failed" || standing?.is === "refused") {
    if (standing.reason === "ValidationError") draft.condition("Importing", false, "Unsupported", words);
    else draft.condition("Importing", false, standing.reason, words);
  } else if (standing?.is === "unheard" && standing.failure === "Unavailable") {
    draft.condition("Importing", "Unknown", "ProviderUnreachable", unreachable(key));
  } else if (standing?.is === "unheard") draft.condition("Importing", false, "ProviderError", words);
  else if (standing?.is === "available") draft.condition("Importing", false, "Prepared", "image import complete");
  else ended(draft, "Importing", Object.values(entries).some(isUnheard));
  ended(draft, "Downloading", false);
}

/** Nothing goes on any more, however that came about: what was said to go on is not said any longer. */
function ended(draft: ImageDraft, type: "Downloading" | "Importing", isUnknown: boolean): void {
  const before = draft.memory(`conditions.${type}`);
  if (typeof before !== "object" || before === null || !("status" in before)) return;
  if (before.status === "False" || (before.status === "Unknown" && isUnknown)) draft.keep(type);
  else if (type === "Downloading") draft.condition(type, false, "Prepared", "nothing is being fetched");
  else draft.condition(type, false, "Prepared", "nothing is being imported");
}

/** About the spec, and about the checksum where one is given. */
function validated({ problem, source, memory, rules }: World, draft: ImageDraft): void {
  const entries = Object.values(memory.entries);
  const wrong = entries.find((entry) => isBecause(entry, "failed", "ChecksumMismatch"));
  const refused = entries.find((entry) => isBecause(entry, "refused", "ValidationError"));
  if (problem !== undefined) draft.condition("Validated", false, "ValidationError", problem);
  else if (refused !== undefined) draft.condition("Validated", false, "ValidationError", wordsOf(refused));
  else if (wrong !== undefined) draft.condition("Validated", false, "ChecksumMismatch", wordsOf(wrong));
  else if (source.is === "reference") draft.condition("Validated", true, "Reference", "there is nothing to check");
  else if (source.is !== "import" || source.checksum === undefined || !rules.validatesChecksum)
    draft.without("Validated");
  else if (entries.some(isPrepared)) {
    draft.condition("Validated", true, "Prepared", "the provider has checked the checksum");
  } else if (memory.flight !== undefined) draft.condition("Validated", "Unknown", "Importing", "it is being fetched");
  else draft.condition("Validated", "Unknown", "NotRequested", "nothing has been fetched yet");
}

function isBecause(entry: ProviderImageStatus, is: "failed" | "refused", reason: Reason): boolean {
  const standing = standingOf(entry);
  return standing.is === is && standing.reason === reason;
}

const second: Ms = 1_000;

/** When to look again although nothing happened. */
function nextLook(world: World, now: Instant): Instant | undefined {
  const { memory, problem, rules, finding } = world;
  if (problem !== undefined) return undefined;
  const { flight } = memory;
  if (flight !== undefined) return earliest([lateAt(memory, rules, now), pollAt(flight, world, now)]);
  const looks = world.pairs.map((pair) => {
    const state = stateOf(pair, world, now);
    // A call that is under way says by itself when it has ended.
    if (state.is === "due") return finding.is === "begun" && finding.key === pair.key ? undefined : now;
    if (state.is === "later") return state.at;
    if (state.is === "missing") return plus(now, 60 * second);
    return state.is === "waiting" ? plus(now, 30 * second) : undefined;
  });
  return earliest(looks);
}

/** A local provider is asked sooner at first: that costs nothing. */
function pollAt({ key, task }: Flight, { memory, pairs, finding }: World, now: Instant): Instant | undefined {
  const provider = pairs.find((pair) => pair.key === key)?.provider;
  if (provider === undefined || closed(provider) !== undefined) return undefined;
  if (finding.is === "begun") return undefined;
  if (task === "") return finding.is === "task" ? now : plus(now, taskPolls.machine);
  const passed = now - (memory.since ?? now);
  const isLocal = provider.spec.type === "qemu";
  return plus(now, isLocal ? Math.min(taskPolls.machine, Math.max(2 * second, passed)) : taskPolls.machine);
}

function earliest(list: readonly (Instant | undefined)[]): Instant | undefined {
  return list.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);
}
