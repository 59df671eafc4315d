// What a provider says of a machine, brought to one form (4.5): its words for power, its addresses, and its own data. Pure, and total:
// whatever comes, something that the API server takes is made of it.
import { isIPv4, isIPv6 } from "node:net";
import { sanitize } from "@telltale/status";
import type { Answer } from "../contract/contract.ts";
import { isSecretName } from "../redact.ts";

export type Power = "On" | "Off" | "Suspended" | "Unknown";

export interface Observed {
  readonly power: Power;
  /** As the status has it. Absent: the provider's word is not known, and there was none before. */
  readonly powerState?: "On" | "Off" | "OffGraceful";
  readonly ips: string[];
  readonly consoleURL?: string;
  readonly provider: Record<string, string>;
}

export function observedOf(
  answer: Answer<"describe">,
  before: { readonly powerState?: "On" | "Off" | "OffGraceful" } = {},
): Observed {
  const power = powerOf(answer.powerState);
  const powerState = power === "Suspended" ? "On" : power === "Unknown" ? before.powerState : power;
  const isOdd = power === "Suspended" || (power === "Unknown" && answer.powerState !== "");
  const consoleURL = consoleOf(answer.consoleUrl);
  return {
    power,
    ...(powerState && { powerState }),
    ips: addresses(answer.ips),
    ...(consoleURL !== undefined && { consoleURL }),
    provider: {
      ...providerMap(answer.providerRawJson),
      ...(isOdd && { power_state_raw: sanitize(answer.powerState, { max: 64 }) }),
    },
  };
}

const words: Readonly<Record<string, Power>> = {
  on: "On",
  poweredon: "On",
  running: "On",
  off: "Off",
  poweredoff: "Off",
  stopped: "Off",
  shutoff: "Off",
  "shut off": "Off",
  notfound: "Off",
  suspended: "Suspended",
  paused: "Suspended",
};

export function powerOf(word: string): Power {
  const known = word.trim().toLowerCase();
  return Object.hasOwn(words, known) ? (words[known] ?? "Unknown") : "Unknown";
}

/** Without those that lead nowhere from outside, each once, IPv4 first. */
export function addresses(given: readonly string[]): string[] {
  const usable = [...new Set(given.map((one) => one.trim().split(/[/%]/)[0] ?? ""))].filter((one) => isUsable(one));
  return [...usable.filter(isIPv4), ...usable.filter(isIPv6)].slice(0, mostAddresses);
}

const mostAddresses = 256;

function isUsable(address: string): boolean {
  if (isIPv4(address)) return !/^(127\.|169\.254\.|0\.)/.test(address);
  return isIPv6(address) && !/^(::1?|fe[89ab][0-9a-f]:.*)$/i.test(address);
}

/** Of the 64 that there may be two are ours: the raw power state, and which disks were asked for. */
const mostKeys = 62;
const longest = 1_024;

/** The provider's own data as flat pairs. What it calls a secret is not taken over, and what is no JSON is said to be none. */
export function providerMap(json: string): Record<string, string> {
  if (json === "") return {};
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return { parseError: "provider_raw_json is no JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return { parseError: "provider_raw_json is no JSON object" };
  }
  const pairs = Object.entries(read)
    .filter(([name, value]) => !isSecretName(name) && name.length <= 253 && value !== null && value !== undefined)
    .slice(0, mostKeys)
    .map(([name, value]): [string, string] => [name, said(value)]);
  return Object.fromEntries(pairs);
}

const said = (value: unknown): string =>
  sanitize(typeof value === "string" ? value : JSON.stringify(value), { max: longest });

/** A link that a person may follow. What would let anybody in, is left out. */
function consoleOf(url: string): string | undefined {
  if (url === "" || !URL.canParse(url)) return undefined;
  const at = new URL(url);
  at.username = "";
  at.password = "";
  if ([...at.searchParams.keys()].some((name) => /ticket|sig|auth|session|expires/i.test(name) || isSecretName(name))) {
    at.search = "";
  }
  at.hash = "";
  return at.href.slice(0, 2_048);
}
