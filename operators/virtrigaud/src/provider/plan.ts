// What has to be made for a provider, and whether that has to wait (3.2 steps 5 and 6). Pure.
import type { Deployment, Service } from "@telltale/kinds/builtin";
import { annotations } from "../names.ts";
import { buildDeployment, buildService, hashOf } from "./deployment.ts";
import { failureIn } from "./phase.ts";
import { claimsIn } from "./volumes.ts";
import type { World } from "./world.ts";

export type Plan =
  | { readonly is: "nothing" }
  | { readonly is: "takeDown" } // it runs elsewhere
  | {
      readonly is: "run";
      readonly service: Service;
      readonly deployment: Deployment;
      /** It is made for the first time, or after it could not be. */
      readonly begins: boolean;
      /** So many transfers hold back new pods. */
      readonly postponed: number;
    };

export function plan(world: World): Plan {
  const { it, wanted, deployment, service } = world;
  if (it.metadata.annotations?.[annotations.paused] === "true" || wanted.is === "invalid") return { is: "nothing" };
  if (wanted.is === "external") {
    return deployment === undefined && service === undefined ? { is: "nothing" } : { is: "takeDown" };
  }
  const next = deploymentWith(
    world,
    world.claims.map(({ name }) => name),
  );
  const held = heldBy(world, next);
  return {
    is: "run",
    service: buildService(it),
    deployment: held === undefined ? next : held.deployment,
    begins: begins(world, next),
    postponed: held?.by ?? 0,
  };
}

/**
 * New pods end the work of the old ones. Where they would differ in nothing but staging claims, transfers of other migrations come to
 * their end first; what a person changes in the spec is done at once.
 */
function heldBy(world: World, next: Deployment): { readonly deployment: Deployment; readonly by: number } | undefined {
  const { deployment, claims, transfers } = world;
  if (deployment === undefined || hashOf(deployment) === hashOf(next)) return undefined;
  const mounted = claimsIn(deployment);
  const asIs = deploymentWith(world, mounted);
  if (hashOf(asIs) !== hashOf(deployment)) return undefined;
  const concerned = claims.filter(({ name }) => !mounted.includes(name)).map(({ migration }) => migration);
  const others = transfers.filter((migration) => !concerned.includes(migration));
  return others.length === 0 ? undefined : { deployment: asIs, by: others.length };
}

const deploymentWith = ({ it, claims }: World, mounted: readonly string[]): Deployment =>
  buildDeployment(
    it,
    mounted,
    claims.some(({ name, isShared }) => !isShared && mounted.includes(name)),
  );

function begins({ it, deployment }: World, next: Deployment): boolean {
  const phase = it.status?.runtime?.phase;
  if (phase === undefined) return true;
  const isStuck = failureIn(deployment) !== undefined && hashOf(deployment) === hashOf(next);
  return phase === "Failed" && !isStuck;
}
