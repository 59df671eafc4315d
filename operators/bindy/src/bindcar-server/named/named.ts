// A real named behind the port: by rndc, nsupdate and a signed transfer.

import type { Content, Definition, Edit, Modification, Nameserver, NewZone, ZoneOrder } from "../nameserver.ts";
import { failed, Refused, zoneExists } from "../refused.ts";
import { definitionOf, modified, shownZone, statementsFor } from "./definition.ts";
import { type NsupdateOptions, nsupdate } from "./nsupdate.ts";
import type { Rndc } from "./rndc.ts";
import { blockText, type Statement } from "./statements.ts";
import { transfer } from "./transfer.ts";
import { zoneFileOf } from "./zone-file.ts";
import type { ZoneFolder } from "./zone-folder.ts";

export interface NamedOptions {
  readonly rndc: Rndc;
  readonly update: NsupdateOptions;
  readonly folder: ZoneFolder;
  /** The name of the key with which zones are read. */
  readonly ownKey: string;
}

export function namedServer({ rndc, update, folder, ownKey }: NamedOptions): Nameserver {
  const shown = async (zone: string): Promise<readonly Statement[]> => {
    const statements = shownZone(await rndc("showzone", zone));
    if (statements === undefined) throw failed("RNDC_FAILED", "showzone printed what is no zone");
    return statements;
  };

  const zoneStatus = async (zone: string): Promise<string> => {
    try {
      return await rndc("zonestatus", zone);
    } catch (error) {
      // A secondary before its first transfer: it is there, and there is nothing to say of it.
      if (!isNotLoaded(error)) throw error;
      return `name: ${zone}\ntype: ${definitionOf(await shown(zone)).type}`;
    }
  };

  const isThere = async (zone: string): Promise<boolean> =>
    zoneStatus(zone).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404) return false;
        throw error;
      },
    );

  return {
    status: () => rndc("status"),
    async checks() {
      const answers = await rndc("status").then(
        () => true,
        () => false,
      );
      return [
        { name: "zone_dir", ok: await folder.isThere() },
        { name: "rndc", ok: answers },
      ];
    },
    zones: () => folder.zones(),
    async add(made: NewZone): Promise<void> {
      // Before anything is written: the file may be that of a zone which is served.
      if (await isThere(made.zone)) throw zoneExists(made.zone);
      const block = blockText(statementsFor(made, folder.fileOf(made.zone), ownKey));
      if (made.type === "primary") await folder.write(made.zone, zoneFileOf(made.zone, made.rrsets));
      try {
        await rndc("addzone", made.zone, `${block};`);
      } catch (error) {
        const isTheirs = error instanceof Refused && error.status === 409;
        if (made.type === "primary" && !isTheirs) await folder.remove(made.zone);
        throw error;
      }
    },
    async remove(zone: string): Promise<void> {
      try {
        await rndc("delzone", zone);
      } catch (error) {
        if (error instanceof Refused && error.status === 404) await folder.remove(zone); // what a restart left behind
        throw error;
      }
      await folder.remove(zone);
    },
    zoneStatus,
    definition: async (zone: string): Promise<Definition> => definitionOf(await shown(zone)),
    async modify(zone: string, change: Modification): Promise<void> {
      await rndc("modzone", zone, `${blockText(modified(await shown(zone), change))};`);
    },
    async order(zone: string, order: ZoneOrder): Promise<string> {
      try {
        return await rndc(order, zone);
      } catch (error) {
        if (order === "freeze" && saysOf(error, /'freeze' failed: already frozen/)) return "";
        if (order !== "reload" || !saysOf(error, /'reload' failed: dynamic zone/)) throw error;
      }
      await rndc("freeze", zone);
      try {
        return await rndc("reload", zone);
      } finally {
        await rndc("thaw", zone);
      }
    },
    async read(zone: string): Promise<Content> {
      const { run, server, port, key } = update;
      const content = await transfer(zone, { run, server, port, key }).catch((error: unknown) => {
        throw failed("INTERNAL", error);
      });
      if (content !== undefined) return content;
      await zoneStatus(zone); // 404 where it is not there
      throw failed(
        "INTERNAL",
        "named does not hand out the zone: it is not loaded, or its allow-transfer lacks our key",
      );
    },
    update: (zone: string, edits: readonly Edit[]) => nsupdate(zone, edits, update),
  };
}

const isNotLoaded = (error: unknown): boolean => saysOf(error, /'zonestatus' failed: zone not loaded/);

const saysOf = (error: unknown, words: RegExp): boolean =>
  error instanceof Refused && typeof error.cause === "string" && words.test(error.cause);
