// Migration: an entry that was written before it had `state` kept its state and its counts in its message. It is read once, until the
// first write. Nothing else reads a message.
import { type ProviderImageStatus, passingFailures } from "../kinds/index.ts";
import { reasons } from "./entry.ts";

const forms = {
  importing: /^importing, attempt (\d{1,4}) of \d+(?:, try (\d{1,9}))?$/,
  failed: /^attempt (\d{1,4}) of \d+ failed, ([A-Za-z]+): /,
  unanswered: /^attempt (\d{1,4}) of \d+, try (\d{1,9}), ([A-Za-z]+): /,
  refused: /^refused, ([A-Za-z]+): /,
} as const;

export function entryFromMessage(entry: ProviderImageStatus): ProviderImageStatus {
  return entry.state === undefined ? { ...entry, ...fieldsIn(entry) } : entry;
}

type Fields = Pick<ProviderImageStatus, "state" | "reason" | "failedAttempts" | "tries">;

function fieldsIn({ available, message = "" }: ProviderImageStatus): Fields {
  if (available) return message === "image prepared" ? { state: "Prepared" } : referenceIn(message);
  const failed = forms.failed.exec(message);
  if (failed !== null) return { state: "Failed", failedAttempts: Number(failed[1]), ...reasonIn(failed[2]) };
  const unanswered = forms.unanswered.exec(message);
  if (unanswered !== null) {
    const [, count, tries, failure] = unanswered;
    return { state: "Unanswered", failedAttempts: before(count), tries: Number(tries), ...reasonIn(failure) };
  }
  const refused = forms.refused.exec(message);
  if (refused !== null) return { state: "Refused", ...reasonIn(refused[1]) };
  const importing = forms.importing.exec(message);
  if (importing === null) return {};
  const [, count, tries = "1"] = importing;
  return { state: "Importing", failedAttempts: before(count), tries: before(tries) };
}

const referenceIn = (message: string): Fields => (message === "reference" ? { state: "Reference" } : {});

const before = (count: string | undefined): number => Math.max(0, Number(count) - 1);

function reasonIn(word: string | undefined): Fields {
  const reason = reasons.find((known) => known === word) ?? passingFailures.find((known) => known === word);
  return reason === undefined ? {} : { reason };
}
