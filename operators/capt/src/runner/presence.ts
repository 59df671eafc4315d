// Whether Crossplane's provider runs Workspaces on this server. Two runners would corrupt one state: where it is there, ours
// stands aside.
import type { Clock } from "@telltale/clock";
import type { Instant, KubeObject, Ms } from "@telltale/kinds";
import type { CustomResourceDefinition, Lease } from "@telltale/kinds/builtin";
import { isLeaseActive } from "@telltale/runtime";
import { finalizers, leases, terraformGroup } from "../names.ts";

/** What is read to find it. */
export interface Signs {
  definition(): Promise<CustomResourceDefinition | undefined>;
  leases(): Promise<readonly Lease[]>;
  /** Workspaces, or those of them that Crossplane holds. */
  workspaces(): readonly KubeObject[] | Promise<readonly KubeObject[]>;
}

export const definitionName = `workspaces.${terraformGroup}`;
export const leaseSelector = `metadata.name=${leases.crossplaneTerraform}`;

/** How it was seen to be there, in words; undefined where it was not. */
export async function providerAt(signs: Signs, now: Instant): Promise<string | undefined> {
  const owners = (await signs.definition())?.metadata?.ownerReferences ?? [];
  if (owners.some(({ kind }) => kind === "ProviderRevision"))
    return "Crossplane's package manager installed Workspaces";
  const isActive = (await signs.leases()).some((lease) => isLeaseActive(lease, now));
  if (isActive) return "Crossplane's provider-terraform holds its lease";
  const held = (await signs.workspaces()).some(isHeld);
  return held ? "Crossplane's provider-terraform holds a Workspace" : undefined;
}

/** Whether Crossplane's provider runs this very Workspace. */
export const isHeld = ({ metadata }: KubeObject): boolean =>
  metadata?.finalizers?.includes(finalizers.crossplane) ?? false;

const lifetime: Ms = 60_000;

/** The answer, asked for at most once a minute. */
export class Presence {
  readonly #clock: Clock;
  #asked: { readonly at: Ms; readonly why: string | undefined } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async find(signs: Signs): Promise<string | undefined> {
    const known = this.#fresh();
    if (known !== undefined) return known.why;
    const at = this.#clock.uptime();
    const why = await providerAt(signs, this.#clock.now());
    this.#asked = { at, why };
    return why;
  }

  /** How long the provider is known to be there, without asking. */
  get isThereFor(): Ms | undefined {
    const known = this.#fresh();
    return known?.why === undefined ? undefined : known.at + lifetime - this.#clock.uptime();
  }

  #fresh() {
    return this.#asked !== undefined && this.#clock.uptime() - this.#asked.at < lifetime ? this.#asked : undefined;
  }
}
