// Shops with a mistake in them: what a perturbation is shown to find.
import { type Client, createClient } from "@telltale/client";
import type { Controller } from "@telltale/runtime";
import type { Around, Scenario } from "../src/index.ts";
import { Shop, shopController, shopScenario } from "./shop.ts";

type Mistake = (sound: Controller, around: Around<unknown>) => Partial<Controller>;

/** The sound shop but for a mistake. What it keeps in memory it keeps for one process. */
export const brokenShop = (mistake: Mistake): Scenario => ({
  ...shopScenario(),
  operator(around) {
    const sound = shopController();
    return [{ ...sound, ...mistake(sound, around) }];
  },
});

/** What a pass does, done otherwise. */
export const actsLike = (
  sound: Controller,
  act: (sound: () => Promise<unknown>, seen: Seen) => Promise<unknown>,
): Pick<Controller, "steps"> => ({
  steps: {
    ...sound.steps,
    async act(actions, hands, world) {
      const { shop } = world as { readonly shop: Shop };
      await act(async () => sound.steps.act?.(actions, hands, world), { shop, hands });
    },
  },
});

export interface Seen {
  readonly shop: Shop;
  readonly hands: Parameters<NonNullable<Controller["steps"]["act"]>>[1];
}

/** A client past the runtime, as some operators bring one. */
export const ownClient = ({ transport, clock, random }: Around<unknown>): Client =>
  createClient({ transport, clock, random, fieldManager: "shops" });

export const refOf = ({ metadata: { name = "", namespace = "" } }: Shop) => ({ name, namespace });

/** The metadata of its child, for who makes one past the runtime. */
export const childOf = (shop: Shop) => ({
  ...refOf(shop),
  ownerReferences: [
    {
      apiVersion: Shop.apiVersion,
      kind: Shop.kind,
      name: shop.metadata.name ?? "",
      uid: shop.metadata.uid ?? "",
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});
