// The QEMU provider as a program: its flags, and what they become.
import { isIPv4 } from "node:net";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { systemRandom } from "@telltale/clock";
import { checkHost, type Lookup } from "../addresses.ts";
import { RpcError } from "../contract/rpc-error.ts";
import type { Program } from "../sdk/run.ts";
import { systemLookup } from "../system-lookup.ts";
import type { Fetch } from "./download.ts";
import { systemHost } from "./host.ts";
import { openProvider } from "./provider.ts";
import { defaults, type Settings } from "./settings.ts";

const version = "0.1.0";

export const qemuProgram = {
  name: "virtrigaud-qemu",
  version,
  flags: {
    "state-dir": "where machines, images and tasks are kept (needed)",
    "image-dirs": "folders of images to make machines from, with commas between them (none)",
    "storage-dir": `where claims are mounted that disks travel through (${defaults.storageDir})`,
    "min-free": "how much always stays free on the disk (1Gi)",
    "max-image-size": "the largest image from outside (100Gi)",
    "ovmf-code": "firmware of UEFI machines; with --ovmf-vars (no UEFI)",
    "ovmf-vars": "the first variables of UEFI machines",
    "bridge-helper": "qemu-bridge-helper, for networks on bridges (no bridges)",
    "sync-transfers":
      "true: an export or import is answered when it is done, for managers that do not ask again (false)",
    "max-jobs": `how many copies go on at once (${defaults.maxJobs})`,
  },
  async start({ flags, clock }) {
    const settings = settingsOf(flags);
    // Disks that QEMU's own programs make are nobody else's to read, either.
    process.umask(0o027);
    const provider = await openProvider(systemHost(clock, systemRandom), settings, checkedFetch(systemLookup));
    return {
      handlers: provider.handlers,
      checks: { host: provider.check },
      stop: async () => provider.stop(),
    };
  },
} satisfies Program;

/** What the flags say; an error names the flag and the way out. Pure but for the current folder. */
export function settingsOf(flags: Readonly<Record<string, string>>): Settings {
  const stateDir = flags["state-dir"];
  if (stateDir === undefined || stateDir === "")
    throw new Error("--state-dir is missing; name a folder for machines and images");
  const { "ovmf-code": ovmfCode, "ovmf-vars": ovmfVars, "bridge-helper": bridgeHelper } = flags;
  if ((ovmfCode === undefined) !== (ovmfVars === undefined))
    throw new Error("--ovmf-code and --ovmf-vars belong together; give both, or none");
  const sync = flags["sync-transfers"] ?? "false";
  if (sync !== "true" && sync !== "false")
    throw new Error(`--sync-transfers is ${JSON.stringify(sync)}; set it to true or false`);
  const jobs = flags["max-jobs"] ?? String(defaults.maxJobs);
  if (!/^[1-9]\d?$/.test(jobs))
    throw new Error(`--max-jobs is ${JSON.stringify(jobs)}; set it to a number from 1 to 99`);
  return {
    stateDir: resolve(stateDir),
    imageDirs: (flags["image-dirs"] ?? "")
      .split(",")
      .filter((folder) => folder !== "")
      .map((folder) => resolve(folder)),
    storageDir: resolve(flags["storage-dir"] ?? defaults.storageDir),
    minFree: bytesOf("min-free", flags["min-free"], defaults.minFree),
    maxImageSize: bytesOf("max-image-size", flags["max-image-size"], defaults.maxImageSize),
    ...(ovmfCode === undefined ? {} : { ovmfCode: resolve(ovmfCode) }),
    ...(ovmfVars === undefined ? {} : { ovmfVars: resolve(ovmfVars) }),
    ...(bridgeHelper === undefined ? {} : { bridgeHelper: resolve(bridgeHelper) }),
    syncTransfers: sync === "true",
    maxJobs: Number(jobs),
    shortDir: tmpdir(),
    programs: defaults.programs,
    version,
  };
}

const units: Readonly<Record<string, number>> = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

function bytesOf(flag: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const [, digits, unit = ""] = /^(\d{1,9})(Ki|Mi|Gi|Ti)?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new Error(`--${flag} is ${JSON.stringify(text)}; set it to bytes, or to a number with Ki, Mi, Gi or Ti`);
  return Number(digits) * (units[unit] ?? 1);
}

/** Hosts that the address policy lets through, with the addresses that it has seen. */
export function checkedFetch(lookup: Lookup): Fetch {
  return async (host) => {
    const checked = await checkHost(host, {}, lookup);
    if (checked.is === "allowed")
      return checked.addresses.map((address) => ({ address, family: isIPv4(address) ? (4 as const) : (6 as const) }));
    throw new RpcError(checked.is === "denied" ? "INVALID_ARGUMENT" : "UNAVAILABLE", checked.why);
  };
}
