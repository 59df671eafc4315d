// Trouble that a seed decides, for a group of processes: pauses, deaths, new ones, lost and late answers, refusals, cuts, jumping
// wall clocks, and everything at once.
import type { FaultEffect } from "@telltale/apiserver";
import { pick, type Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Process, World } from "./world.ts";

export interface Troupe {
  /** Those that have been started and were neither killed nor released. */
  alive(): readonly Process[];
  /** Under the name of another, where one is given. */
  start(as?: Process): void;
  kill(process: Process): void;
  release(process: Process): void;
}

const second = 1000;

type Action = "pause" | "fault" | "lists" | "down" | "jump" | "start" | "kill" | "release" | "restart";
const often: readonly [Action, ...Action[]] = ["pause", "fault", "fault", "restart"];
const actions: readonly [Action, ...Action[]] = [
  ...often,
  ...often,
  "lists",
  "down",
  "jump",
  "start",
  "kill",
  "release",
];

/** Makes trouble for so long, and ends all of it. `check` is called after every timer. */
export async function chaos(world: World, troupe: Troupe, length: Ms, check: () => void): Promise<void> {
  const { clock, random } = world;
  const end = clock.uptime() + length;
  const [least, most] = [2, 5];
  while (clock.uptime() < end) {
    const alive = troupe.alive();
    const one = alive[Math.floor(random.next() * alive.length)];
    if (one === undefined || alive.length < least) troupe.start();
    else act(world, troupe, one, alive.length < most);
    await world.settle(random.next() * 5 * second, check);
  }
  world.server.faults.clear();
  for (const process of troupe.alive()) process.resume();
}

function act(world: World, troupe: Troupe, one: Process, room: boolean): void {
  const { random, server, clock } = world;
  const long = () => random.next() ** 2 * 25 * second; // mostly short, at times longer than a lease lasts
  const during = (rule: Parameters<typeof server.faults.add>[0]) => {
    const id = server.faults.add(rule);
    clock.after(long(), () => server.faults.remove(id));
  };
  switch (pick(random, actions)) {
    case "pause":
      one.pause();
      clock.after(long(), () => one.resume());
      break;
    case "fault":
      during({ match: { userAgent: new RegExp(`^${one.name}$`), ...verbs(random) }, effect: effect(random) });
      break;
    case "lists":
      during({ match: { userAgent: new RegExp(`^${one.name}$`), verbs: ["list"] }, effect: effect(random) });
      break;
    case "down":
      during({ match: { probability: 0.3 + 0.7 * random.next() }, effect: effect(random) });
      break;
    case "jump":
      one.jump(pick(random, [-3600 * second, 3600 * second, -second, second]));
      break;
    case "start":
      if (room) troupe.start();
      break;
    case "kill":
      troupe.kill(one);
      break;
    case "release":
      troupe.release(one);
      break;
    case "restart":
      troupe.release(one);
      clock.after(random.next() ** 2 * 10 * second, () => troupe.start(one));
      break;
  }
}

function verbs(random: Random): { readonly verbs?: readonly string[]; readonly probability: number } {
  const some = pick(random, [undefined, ["patch"], ["create", "patch"], ["get", "list"]]);
  return { ...(some && { verbs: some }), probability: pick(random, [1, 1, 0.5]) };
}

function effect(random: Random): FaultEffect {
  const commit = random.next() < 0.5;
  const late: FaultEffect = { latencyMs: [0, random.next() * 20 * second], phase: commit ? "after" : "before" };
  const status: FaultEffect = { status: pick(random, [409, 422, 429, 500, 503, 504]), commit };
  return pick<FaultEffect>(random, [
    late,
    late,
    status,
    { timeout: true, commit },
    { resetConnection: true, commit },
    { conflictOnce: true },
  ]);
}
