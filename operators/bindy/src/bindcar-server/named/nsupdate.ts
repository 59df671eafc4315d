// One message of changes, and what a refusal means (9.5). What is in a script was written by us: names and data as BIND prints
// them.
import type { Edit } from "../nameserver.ts";
import { bad, failed, noSuchZone, Refused } from "../refused.ts";
import type { Ran, Run } from "./run.ts";

export interface NsupdateOptions {
  readonly run: Run;
  readonly server: string;
  readonly port: number;
  /** The path of the key, readable by us alone. */
  readonly key: string;
  /** By TCP always. Else only what is large. */
  readonly tcp: boolean;
}

export async function nsupdate(zone: string, edits: readonly Edit[], options: NsupdateOptions): Promise<void> {
  const { run, key, tcp } = options;
  const script = scriptOf(zone, edits, options);
  const transport = tcp || script.length > 1200 ? ["-v"] : [];
  const args = ["-t", "20", "-u", "5", "-r", "2", ...transport, "-k", key];
  const ran = await run("nsupdate", args, script).catch((error: unknown) => {
    throw failed("NSUPDATE_FAILED", error);
  });
  if (ran.code !== 0) throw nsupdateRefusal(ran, zone);
}

export function scriptOf(
  zone: string,
  edits: readonly Edit[],
  { server, port }: Pick<NsupdateOptions, "server" | "port">,
): string {
  return `${[`server ${server} ${port}`, `zone ${zone}`, ...edits.map(lineOf), "send"].join("\n")}\n`;
}

function lineOf(edit: Edit): string {
  const { name, type } = edit;
  if (edit.do === "add") return `update add ${name} ${edit.ttl} ${type} ${edit.value}`;
  return edit.value === undefined ? `update delete ${name} ${type}` : `update delete ${name} ${type} ${edit.value}`;
}

/** Pure: by the words of nsupdate. */
export function nsupdateRefusal({ code, stderr, stdout }: Ran, zone: string): Refused {
  const text = `${stderr}\n${stdout}`;
  const [, why = ""] = /update failed: (\S+)/.exec(text) ?? [];
  if (why === "NOTAUTH") return noSuchZone(zone);
  if (why === "NOTZONE") return bad(`a name is not in zone ${zone}`);
  if (["NXRRSET", "YXRRSET", "NXDOMAIN", "YXDOMAIN"].includes(why))
    return new Refused(409, `Zone ${zone} is not as expected`);
  if (/ran out of space|message too (large|big)/i.test(text))
    return new Refused(413, "The transaction is too large for one message");
  if (code === 1 && /syntax error|check-names failed|out of range|bad |invalid /.test(text))
    return bad("the data was not understood");
  return failed(
    "NSUPDATE_FAILED",
    why === "" ? (commonWords(text) ?? `nsupdate ended with ${code}`) : `update failed: ${why}`,
  );
}

/** Of what nsupdate prints only this is for a log: the rest may hold data of a record. */
const commonWords = (text: string): string | undefined => /Communication with \S+ failed: [a-z ]+/.exec(text)?.[0];
