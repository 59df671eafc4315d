// The phase in which what is staged becomes something that the target reads (3.3, "Converting"). Pure.
import type { Ms } from "@telltale/kinds";
import { text } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import { bareUrl } from "../redact.ts";
import { readsFormat } from "./checks.ts";
import { convertName } from "./job.ts";
import type { Result } from "./job-state.ts";
import { attemptOf, convertedUrl, exportsOf, nativeFormat, stagedFormat, stagedObject } from "./staging.ts";
import { deed, failed, learn, move, type Step, staleExport, wait } from "./step.ts";
import type { Held, World } from "./world.ts";

/** The end of a Job asks for a pass. */
const unheard: Ms = 60_000;

/** The target converts what it imports. What it cannot read at all is converted on the claim, where there is one. */
export function converting(world: World): Step {
  const { migration, from, to, held, heard, staged, tools, jobs } = world;
  const type = from.channel.provider?.spec.type;
  const format = stagedFormat(migration, type);
  const target = to.channel.provider;
  if (readsFormat(target, format) || stagedObject(migration, staged, held, type).isConverted) return move("Importing");
  const formats = target?.status?.reportedCapabilities?.supportedImportFormats ?? [];
  const unread = text`Provider ${to.at.name} does not read ${format}`;
  const change = text`set spec.options.diskFormat to one of ${formats.join(", ")}`;
  const wanted = wantedFormat(target);
  if (migration.spec.storage?.type !== "pvc") {
    return failed("StorageError", text`${unread}, and only what lies on a claim can be converted; ${change}`);
  }
  if (wanted === undefined)
    return failed("StorageError", text`${unread}, and qemu-img writes none of ${formats.join(", ")}`);
  if (tools === undefined) {
    const image = text`tell the operator an image with qemu-img by VIRTRIGAUD_MIGRATION_JOB_IMAGE`;
    return failed("StorageError", text`${unread}; ${change}, or ${image}`);
  }
  if (heard.taken !== undefined) return failed("StorageError", heard.taken);
  const url = exportsOf(staged).at(-1) ?? "";
  const name = convertName(migration, attemptOf(url), held.retryCount ?? 0);
  const work = jobs.find((it) => it.name === name);
  if (work === undefined) return deed({ is: "convert", name, url, to: wanted });
  switch (work.state.is) {
    case "going":
      return wait(text`Job ${name} was deleted, and is begun again when it is gone`, unheard);
    case "waiting":
      return wait(text`Job ${name} is to convert ${format} to ${wanted}: ${work.state.why}`, unheard);
    case "running":
      return wait(text`Job ${name} converts ${format} to ${wanted}`, unheard);
    case "failed": {
      const why = text`Job ${name} could not convert ${format} to ${wanted}: ${work.state.why}`;
      return work.state.isBad ? staleExport(why) : failed("StorageError", why);
    }
    case "done":
      return learn(converted(held, convertedUrl(url, wanted), work.state.result));
  }
}

/** What qemu-img writes. */
const writable: readonly string[] = ["qcow2", "raw", "vmdk", "vdi", "vhdx"];

/** What the target keeps its own disks in, else the first of these that it reads. */
function wantedFormat(target: Provider | undefined): string | undefined {
  const formats = target?.status?.reportedCapabilities?.supportedImportFormats ?? [];
  return [nativeFormat(target?.spec.type), ...writable].find((it) => formats.includes(it));
}

/** Without a result nobody knows the checksum: the import is not held against any, and says so in the end. */
function converted(held: Held, url: string, result: Result | undefined): Held {
  const { checksum: _before, ...diskInfo } = held.diskInfo ?? {};
  const { size: _old, ...storageInfo } = held.storageInfo ?? {};
  return {
    ...held,
    diskInfo: { ...diskInfo, ...(result && { checksum: result.checksum }) },
    storageInfo: { ...storageInfo, url: bareUrl(url) ?? "", ...(result && { size: String(result.size) }) },
  };
}
