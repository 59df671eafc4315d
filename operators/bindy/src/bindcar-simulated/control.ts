// The control API of a simulated Bindcar (11.1), for whoever cannot call it directly. On a port of its own, and only on loopback.

import type { Clock } from "@telltale/clock";
import { zoneNameOf } from "../bindcar/dns-name.ts";
import type { Reply } from "../bindcar-server/message.ts";
import { json } from "../bindcar-server/message.ts";
import { Refused } from "../bindcar-server/refused.ts";
import { fields, list, maybe, type Shape, table, text, whole } from "../bindcar-server/shape.ts";
import { newZoneOf } from "../bindcar-server/zone-body.ts";
import type { SimulatedBindcar, SimulatedRequest } from "./bindcar.ts";
import { type Action, type Fault, isPreset } from "./faults.ts";

export async function control(asked: SimulatedRequest, bindcar: SimulatedBindcar, clock: Clock): Promise<Reply> {
  const { pathname, searchParams } = new URL(asked.path, "http://control");
  const [, id] = /^\/__sim\/faults\/(\d{1,9})$/.exec(pathname) ?? [];
  const about = `${asked.method} ${id === undefined ? pathname : "/__sim/faults/{id}"}`;
  try {
    switch (about) {
      case "POST /__sim/faults":
        return json(201, { id: bindcar.faults.add(faultOf(bodyOf(asked))) });
      case "GET /__sim/faults":
        return json(200, { faults: bindcar.faults.list() });
      case "DELETE /__sim/faults":
        bindcar.faults.clear();
        return json(200, {});
      case "DELETE /__sim/faults/{id}":
        return bindcar.faults.clear(Number(id)) ? json(200, {}) : json(404, { error: `there is no fault ${id}` });
      case "GET /__sim/requests": {
        const since = Number(searchParams.get("since") ?? 0);
        return json(200, { requests: bindcar.requests.filter(({ number }) => number > since) });
      }
      case "PUT /__sim/state":
        return await replaceZones(bindcar, bodyOf(asked), clock);
      case "POST /__sim/reset":
        bindcar.nameserver.reset();
        return json(200, {});
      case "POST /__sim/stop":
        bindcar.stop();
        return json(200, {});
      case "POST /__sim/start":
        bindcar.start();
        return json(200, {});
      case "PUT /__sim/serial": {
        const { zone, serial } = serialShape(bodyOf(asked), "");
        bindcar.nameserver.pin(zoneNameOf(zone) ?? zone, serial);
        return json(200, {});
      }
      default:
        return json(404, { error: `there is no ${asked.method} ${pathname}` });
    }
  } catch (error) {
    if (error instanceof Refused) return json(error.status, { error: error.message });
    throw error;
  }
}

/** Zones as `POST /zones` has them. */
async function replaceZones(bindcar: SimulatedBindcar, body: unknown, clock: Clock): Promise<Reply> {
  const { zones } = fields({ zones: list(anything) })(body, "");
  const made = zones.map((zone) => newZoneOf(zone, clock.now()));
  bindcar.nameserver.reset();
  for (const zone of made) await bindcar.nameserver.add(zone);
  return json(200, { zones: made.length });
}

const anything: Shape<unknown> = (value) => value;

const serialShape = fields({ zone: text, serial: maybe(whole) });

const number: Shape<number> = (value, at) => {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Refused(422, `${at} has to be a number`);
};

const faultShape = fields({
  preset: maybe(text),
  match: maybe(fields({ method: maybe(text), path: maybe(text), zone: maybe(text) })),
  action: maybe(fields({ type: text, code: maybe(whole), body: maybe(text), headers: maybe(table(text)) })),
  times: maybe(whole),
  skip: maybe(whole),
  every: maybe(whole),
  probability: maybe(number),
  delayMs: maybe(whole),
});

function faultOf(body: unknown): Fault | Parameters<SimulatedBindcar["faults"]["add"]>[0] {
  const { preset, match, action, ...limits } = faultShape(body, "");
  if (preset !== undefined) {
    if (isPreset(preset)) return preset;
    throw new Refused(422, "there is no such preset");
  }
  if (action === undefined) throw new Refused(422, "give `preset` or `action`");
  if (match?.path !== undefined) checkPattern(match.path);
  return { ...(match !== undefined && { match: given(match) }), action: actionOf(action), ...given(limits) };
}

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern);
  } catch {
    throw new Refused(422, "match.path is no regular expression");
  }
}

/** Without what was not said. */
function given<T extends object>(it: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(it).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const plainActions = ["refuse", "reset", "hang", "slow", "garbage", "truncate", "wrongJson", "rateLimit"] as const;

function actionOf({ type, code, body, headers }: ActionBody): Action {
  const simple = plainActions.find((it) => it === type);
  if (simple !== undefined) return { type: simple };
  if (type !== "status" || code === undefined || code < 200 || code > 599)
    throw new Refused(422, `action.type has to be status with a code, or one of ${plainActions.join(", ")}`);
  return {
    type: "status",
    code,
    ...(body !== undefined && { body }),
    ...(headers !== undefined && { headers: Object.fromEntries(headers) }),
  };
}

interface ActionBody {
  readonly type: string;
  readonly code: number | undefined;
  readonly body: string | undefined;
  readonly headers: readonly (readonly [string, string])[] | undefined;
}

function bodyOf({ body = "" }: SimulatedRequest): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new Refused(400, "the body is no JSON");
  }
}
