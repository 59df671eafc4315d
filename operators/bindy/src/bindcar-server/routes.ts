// What can be asked for: one row for each, with what it is called in metrics and documents (9.2).

import type { Clock } from "@telltale/clock";
import { basePath, type Readiness, type RecordResponse, type ZoneResponse } from "../bindcar/contract.ts";
import { zoneStatusOf } from "../bindcar/zone-status.ts";
import { json, type Reply } from "./message.ts";
import type { Edit, Nameserver, ZoneOrder } from "./nameserver.ts";
import { addedOf, changesOf, removalOf, replacementOf } from "./record-body.ts";
import { bad, Refused } from "./refused.ts";
import { editsOf, lacksAddress, missedBy } from "./rrsets.ts";
import type { Turns } from "./turns.ts";
import { modificationOf, newZoneOf, zoneOf } from "./zone-body.ts";

export interface Route {
  readonly method: string;
  /** `{z}` stands for a zone. */
  readonly path: string;
  readonly means: string;
  readonly body?: "json";
  /** Counted under this name. */
  readonly operation?: string;
  answer(asked: { readonly zone: string; readonly body: unknown }, behind: Behind): Promise<Reply>;
}

export interface Behind {
  readonly nameserver: Nameserver;
  readonly clock: Clock;
  /** Whoever changes a zone does so alone. */
  readonly turns: Turns;
  readonly version: string;
}

const zones = `${basePath}/zones`;
const zone = `${zones}/{z}`;

export const routes: readonly Route[] = [
  {
    method: "GET",
    path: `${basePath}/health`,
    means: "Whether this process is there",
    answer: async (_, { version }) => json(200, { status: "healthy", version }),
  },
  {
    method: "GET",
    path: `${basePath}/ready`,
    means: "Whether named answers and the zones have a place",
    async answer(_, { nameserver }) {
      const found = await nameserver.checks();
      const ready = found.every(({ ok }) => ok);
      const checks = found.map(({ name, ok }) => `${name}: ${ok ? "ok" : "failed"}`);
      return json(ready ? 200 : 503, { ready, checks } satisfies Readiness);
    },
  },
  {
    method: "GET",
    path: `${basePath}/server/status`,
    means: "What rndc says of the server",
    answer: async (_, { nameserver }) => json(200, { status: await nameserver.status() }),
  },
  {
    method: "POST",
    path: zones,
    means: "Makes a zone with everything that is in it",
    body: "json",
    operation: "create",
    async answer({ body }, { nameserver, clock, turns }) {
      const made = newZoneOf(body, clock.now());
      await turns.take(made.zone, () => nameserver.add(made));
      return done(201, `Zone ${made.zone} created successfully`);
    },
  },
  {
    method: "GET",
    path: zones,
    means: "The zones that have a file",
    async answer(_, { nameserver }) {
      const found = await nameserver.zones();
      return json(200, { zones: found, count: found.length });
    },
  },
  {
    method: "GET",
    path: zone,
    means: "What a zone is, and who may have it",
    async answer({ zone: name }, { nameserver }) {
      const { serial, dynamic, frozen } = zoneStatusOf(await nameserver.zoneStatus(name));
      const { type, file, ...lists } = await nameserver.definition(name);
      const place = file === undefined ? {} : { filePath: file };
      const number = serial === undefined ? {} : { serial };
      return json(200, { name, zoneType: type, ...number, ...place, ...lists, dynamic, frozen });
    },
  },
  {
    method: "PATCH",
    path: zone,
    means: "Changes who is told of a zone, who may have it, and where it comes from",
    body: "json",
    operation: "modify",
    async answer({ zone: name, body }, { nameserver, turns }) {
      const change = modificationOf(body);
      await turns.take(name, () => nameserver.modify(name, change));
      return done(200, `Zone ${name} modified successfully`);
    },
  },
  {
    method: "DELETE",
    path: zone,
    means: "Removes a zone with its files",
    operation: "delete",
    async answer({ zone: name }, { nameserver, turns }) {
      await turns.take(name, () => nameserver.remove(name));
      return done(200, `Zone ${name} deleted successfully`);
    },
  },
  {
    method: "GET",
    path: `${zone}/status`,
    means: "What rndc says of a zone",
    answer: async ({ zone: name }, { nameserver }) =>
      done(200, `Zone ${name} status retrieved`, await nameserver.zoneStatus(name)),
  },
  ordered("reload", "Loads a zone anew", (name) => `Zone ${name} reloaded successfully`),
  ordered("freeze", "Stops updates of a zone", (name) => `Zone ${name} frozen successfully`),
  ordered("thaw", "Allows updates of a zone again", (name) => `Zone ${name} thawed successfully`),
  ordered("notify", "Tells secondaries that a zone has changed", (name) => `Notify sent for zone ${name}`),
  ordered("retransfer", "Transfers a secondary zone anew", (name) => `Retransfer initiated for zone ${name}`),
  {
    method: "POST",
    path: `${zone}/records`,
    means: "Adds a record",
    body: "json",
    operation: "add_record",
    async answer({ zone: name, body }, behind) {
      const record = addedOf(body, name);
      await updated(behind, name, [{ do: "add", ...record }]);
      return recorded(201, `Record added to zone ${name}`, name, record);
    },
  },
  {
    method: "PUT",
    path: `${zone}/records`,
    means: "Puts one record in the place of another",
    body: "json",
    operation: "update_record",
    async answer({ zone: name, body }, behind) {
      const { current, ...record } = replacementOf(body, name);
      const { name: owner, type } = record;
      await updated(behind, name, [
        { do: "delete", name: owner, type, value: current },
        { do: "add", ...record },
      ]);
      return recorded(200, `Record updated in zone ${name}`, name, record);
    },
  },
  {
    method: "DELETE",
    path: `${zone}/records`,
    means: "Removes a record, or all of a name and type",
    body: "json",
    operation: "remove_record",
    async answer({ zone: name, body }, behind) {
      const record = removalOf(body, name);
      await updated(behind, name, [{ do: "delete", ...record }]);
      return recorded(200, `Record removed from zone ${name}`, name, record);
    },
  },
  {
    method: "GET",
    path: `${zone}/rrsets`,
    means: "Everything that a zone holds",
    async answer({ zone: name }, { nameserver }) {
      const { serial, rrsets } = await nameserver.read(name);
      return json(200, { serial, rrsets });
    },
  },
  {
    method: "PUT",
    path: `${zone}/rrsets`,
    means: "Changes RRsets in one transaction, and looks whether it came about",
    body: "json",
    operation: "put_rrsets",
    async answer({ zone: name, body }, behind) {
      const { nameserver, turns } = behind;
      const { serial, changes } = changesOf(body, name);
      return turns.take(name, async () => {
        const before = await nameserver.read(name);
        const edits = editsOf(before, changes, serial, name);
        await sent(nameserver, name, edits, before);
        const after = await nameserver.read(name);
        const missed = missedBy(after, changes, name);
        if (missed.length > 0) throw new Refused(409, `Zone ${name} did not take ${missed.slice(0, 5).join(", ")}`);
        return json(200, { serial: after.serial, applied: changes.length });
      });
    },
  },
];

function ordered(order: ZoneOrder, means: string, message: (zone: string) => string): Route {
  return {
    method: "POST",
    path: `${zone}/${order}`,
    means,
    operation: order,
    async answer({ zone: name }, { nameserver, turns }) {
      const said = await turns.take(name, () => nameserver.order(name, order));
      return done(200, message(name), said);
    },
  };
}

function updated({ nameserver, turns }: Behind, zone: string, edits: readonly Edit[]): Promise<void> {
  return turns.take(zone, () => sent(nameserver, zone, edits));
}

/** Where BIND refused a message and it is plain why, the caller is told. */
async function sent(
  nameserver: Nameserver,
  zone: string,
  edits: readonly Edit[],
  before?: Awaited<ReturnType<Nameserver["read"]>>,
) {
  try {
    await nameserver.update(zone, edits);
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "NSUPDATE_FAILED") throw error;
    const content = before ?? (await nameserver.read(zone).catch(() => undefined));
    if (content !== undefined && lacksAddress(content, edits, zone))
      throw bad("a name server or mail server in the zone has no address there");
    throw error;
  }
}

function done(status: number, message: string, details = ""): Reply {
  const body: ZoneResponse = details === "" ? { success: true, message } : { success: true, message, details };
  return json(status, body);
}

function recorded(status: number, message: string, zone: string, record: object): Reply {
  return json(status, { success: true, message, details: { zone, record: { ...record } } } satisfies RecordResponse);
}

/** The row for a request, and the zone that it is about. */
export function routeOf(method: string, path: string): Found {
  const there = routes.flatMap((route) => {
    const zone = match(route.path, path);
    return zone === undefined ? [] : [{ route, zone }];
  });
  if (there.length === 0) return { at: "nowhere" };
  const found = there.find(({ route }) => route.method === method);
  if (found === undefined) return { at: "other method", allowed: there.map(({ route }) => route.method) };
  return { at: "route", ...found };
}

export type Found =
  | { readonly at: "route"; readonly route: Route; readonly zone: string }
  | { readonly at: "other method"; readonly allowed: readonly string[] }
  | { readonly at: "nowhere" };

/** The text at `{z}`, or an empty one where the row has none. */
function match(template: string, path: string): string | undefined {
  const [want, have] = [template.split("/"), path.split("/")];
  if (want.length !== have.length) return undefined;
  let zone = "";
  for (const [i, word] of want.entries()) {
    if (word === "{z}") zone = have[i] ?? "";
    else if (word !== have[i]) return undefined;
  }
  return zone === "" && want.includes("{z}") ? undefined : zone;
}

/** A zone as it stands in a path. */
export function zoneIn(segment: string): string {
  try {
    return zoneOf(decodeURIComponent(segment));
  } catch (error) {
    throw error instanceof Refused ? error : bad("the path is not encoded as it has to be");
  }
}
