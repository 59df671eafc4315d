// Variants of the sound shop: some of its parts done otherwise. What a part keeps in memory it keeps for one process.
import type { Client } from "@telltale/client";
import type { Instant } from "@telltale/kinds";
import type { Controller, Finalized, Hands } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import type { Around, Deed, Scenario } from "../src/index.ts";
import { Shop, shopController, shopScenario } from "./shop.ts";

export interface Parts {
  act?(sound: () => Promise<unknown>, seen: Acting): Promise<unknown>;
  status?(sound: () => void, said: Saying): void;
  after?(seen: Acting): Promise<unknown>;
  finalize?(seen: Acting): Promise<Finalized>;
}

export interface Acting {
  readonly shop: Shop;
  readonly hands: Hands<typeof Shop>;
}

export interface Saying {
  readonly shop: Shop;
  readonly draft: Draft<typeof Shop>;
  readonly now: Instant;
}

export const shopLike = (parts: (around: Around<unknown>) => Parts, more: Partial<Scenario> = {}): Scenario => ({
  ...shopScenario(),
  operator: (around) => [variant(shopController(), parts(around))],
  ...more,
});

/** The steps of a controller in general know of no kind: what they get here is the shop's. */
function variant(sound: Controller, { act, status, after, finalize }: Parts): Controller {
  const { steps, finalizer } = sound;
  const shopIn = (world: unknown) => (world as { readonly shop: Shop }).shop;
  return {
    ...sound,
    ...(finalizer === undefined || finalize === undefined
      ? {}
      : {
          finalizer: {
            ...finalizer,
            run: (shop, hands) =>
              finalize({ shop: shop as unknown as Shop, hands: hands as unknown as Hands<typeof Shop> }),
          },
        }),
    steps: {
      ...steps,
      async act(actions, hands, world) {
        const seen = { shop: shopIn(world), hands: hands as unknown as Hands<typeof Shop> };
        const soundly = async () => steps.act?.(actions, hands, world);
        await (act === undefined ? soundly() : act(soundly, seen));
      },
      status: ((world: never, draft: never, now: Instant) => {
        const soundly = () => (steps.status as unknown as Say)(world, draft, now);
        if (status === undefined) soundly();
        else status(soundly, { shop: shopIn(world), draft, now });
      }) as unknown as Controller["steps"]["status"],
      ...(after === undefined
        ? {}
        : {
            async after({ world }, hands) {
              await after({ shop: shopIn(world), hands: hands as unknown as Hands<typeof Shop> });
            },
          }),
    },
  };
}

type Say = (world: never, draft: never, now: Instant) => void;

const corner = { namespace: "default", name: "corner" };

/** A person says something else of the corner shop. */
export const deed = (at: number, spec: Partial<Shop["spec"]>): Deed => ({
  at,
  what: JSON.stringify(spec),
  act: (client: Client) => client.patch(Shop, corner, { merge: { spec } }),
});

/** A person closes the corner shop for good. */
export const closing = (at: number): Deed => ({
  at,
  what: "deletes the shop",
  act: (client: Client) => client.delete(Shop, corner, { propagation: "Background" }),
});
