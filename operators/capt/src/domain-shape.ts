// Which shape failure domains have (10.4): it follows the Clusters that the server serves, and may change while we run.
import { type Instant, type Ms, plus } from "@telltale/kinds";
import { CustomResourceDefinition } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import type { Config } from "./config.ts";
import type { DomainShape } from "./failure-domains.ts";
import { clusterGroup } from "./names.ts";
import type { ServerKinds } from "./server.ts";

const interval: Ms = 60_000;

export class ShapeFinder {
  readonly #setting: Config["failureDomainsShape"];
  #shape: DomainShape;
  #at: Instant | undefined;

  constructor(setting: Config["failureDomainsShape"], { Cluster }: Pick<ServerKinds, "Cluster">) {
    this.#setting = setting;
    const found = Cluster.version === "v1beta2" ? "list" : "map";
    this.#shape = setting === "auto" ? found : setting;
  }

  get shape(): DomainShape {
    return this.#shape;
  }

  /** Whether it may change by itself. */
  get isFound(): boolean {
    return this.#setting === "auto";
  }

  /** Asks at most once a minute. True: it is another one than before, and every network has to be looked at. */
  async isChanged(look: Pick<Look, "now" | "live">): Promise<boolean> {
    const isDue = this.#at === undefined || look.now < this.#at || look.now >= plus(this.#at, interval);
    if (!this.isFound || !isDue) return false;
    this.#at = look.now;
    const found = await served(look);
    if (found === undefined || found === this.#shape) return false;
    this.#shape = found;
    return true;
  }
}

/** Undefined where nobody can tell: then it stays what it was. */
async function served(look: Pick<Look, "live">): Promise<DomainShape | undefined> {
  try {
    const found = await look.live(CustomResourceDefinition, { name: `clusters.${clusterGroup}` });
    if (found === undefined) return undefined;
    return found.spec.versions.some((it) => it.name === "v1beta2" && it.served) ? "list" : "map";
  } catch {
    return undefined;
  }
}
