// Starts one container of a pod: plans it, puts its folders in place, and begins a run.
import { mkdir } from "node:fs/promises";
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { PodEvent, References } from "../kubelet/pod-runtime.ts";
import { containerMark, runtimeMark } from "./census.ts";
import type { Children } from "./children.ts";
import type { Place } from "./fields.ts";
import { Instance } from "./instance.ts";
import type { PodFolder } from "./layout.ts";
import { LogFile } from "./log-file.ts";
import { placeMounts } from "./mounts.ts";
import { addressOf, type Network, type Networks } from "./network.ts";
import type { Settings } from "./options.ts";
import { planLaunch } from "./plan.ts";
import type { Slot } from "./slot.ts";
import { graceOf } from "./spec.ts";
import type { Watchdog } from "./watchdog.ts";

/** What all pods have in common. */
export interface PodSurroundings {
  readonly root: string;
  /** The name of this server among all that there were. */
  readonly runtime: string;
  readonly settings: Settings;
  readonly networks: Networks;
  readonly children: Children;
  readonly watchdog: Watchdog;
  readonly wake: () => void;
  /** Everything ends, or the pod is gone. What ends now is not written down: the next server is to know that it was cut off. */
  readonly isLeft: () => boolean;
}

export interface ContainerRequest {
  /** As it is at the time of asking: a pod that is deleted has another grace. */
  readonly pod: () => Pod;
  readonly slot: Slot;
  readonly folder: PodFolder;
  readonly network: Network;
  readonly place: Place;
  readonly refers: References;
  readonly now: Instant;
  readonly around: PodSurroundings;
  readonly event: (event: PodEvent) => void;
}

export async function launchContainer(request: ContainerRequest): Promise<Instance> {
  const { pod, slot, folder, network, place, refers, now, around, event } = request;
  const { settings, children, watchdog, runtime, wake, isLeft } = around;
  const { clock, inherited, images, translatePaths } = settings;
  const { member, owner, standing } = slot;
  const marks = { [runtimeMark]: runtime, [containerMark]: owner };
  const { ports } = network;
  const plan = { pod: pod(), member, refers, folder, place, ports, inherited, marks, images, translatePaths };
  const launch = planLaunch(plan);
  for (const path of [slot.folder.home, slot.folder.rootfs]) await mkdir(path, { recursive: true });
  await placeMounts(launch.mounts, slot.name, folder);
  await mkdir(launch.cwd, { recursive: true });
  await slot.forgetOldLogs();
  return Instance.begin({
    member,
    launch,
    owner,
    containerID: slot.containerID(standing.restarts),
    startedAt: now,
    log: new LogFile(slot.logPath(standing.restarts), clock, settings.log),
    address: (port) => addressOf(network, member.container, port),
    grace: (probe) => graceOf(pod(), probe),
    children,
    watchdog,
    clock,
    event,
    changed: wake,
    ended: (how) => {
      if (isLeft()) return;
      slot.end(how);
      wake();
    },
  });
}
