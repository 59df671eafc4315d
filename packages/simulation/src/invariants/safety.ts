// I31: what a scenario declares safe holds at every moment, while faults last too.
import type { Instant, Ms } from "@telltale/kinds";
import { isNoise } from "../history.ts";
import type { Invariant } from "../invariant.ts";
import { lookAt } from "../look.ts";
import type { World } from "../world.ts";

export const safety: Invariant = {
  id: "I31",
  what: "what is declared safe holds at every moment, by what is outside",
  watch(world, say) {
    const happens = new Set(world.plan.faults.map(({ p }) => p));
    const declared = (world.scenario.safety ?? []).filter(({ except }) => !except?.some((it) => happens.has(it)));
    if (declared.length === 0) return {};
    const work = new Undisturbed(world);
    const watched = {
      backend: world.backend,
      look: lookAt(world.server),
      now: () => world.clock.now(),
      undisturbedFor: () => work.lasts,
      get isRewound() {
        return world.history.isRewound;
      },
    };
    const checks = declared.map((it) => ({ name: it.name, found: it.watch(watched), isBroken: false }));
    let isChecking = false;
    // Who is asked how it is may find that time has changed it, and tell of that.
    const check = () => {
      if (isChecking) return;
      isChecking = true;
      for (const it of checks) {
        const what = it.isBroken ? undefined : it.found();
        if (what === undefined) continue;
        it.isBroken = true;
        say(`${it.name}: ${what}`);
      }
      isChecking = false;
    };
    world.history.listen(({ key }) => {
      if (!isNoise(key)) check();
    });
    world.backend?.listen?.(check);
    return { moment: check };
  },
};

/** How long nothing has kept the operator from its work. */
class Undisturbed {
  readonly #world: World;
  #since: Instant;

  constructor(world: World) {
    this.#world = world;
    this.#since = world.clock.now();
  }

  get lasts(): Ms {
    const { processes, network, clock, isTroubled } = this.#world;
    const now = clock.now();
    const works = processes.some(({ state }) => state === "runs");
    if (!works || isTroubled) this.#since = now;
    return now - Math.max(this.#since, network.disturbedAt ?? this.#since);
  }
}
