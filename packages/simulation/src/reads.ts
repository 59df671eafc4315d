// The same controller, and what its steps read is known: where nothing is read between two moments, what happens at one of
// them comes to the same as at the other.
import type { KindRef } from "@telltale/kinds";
import type { Controller, Finalize, Finalized, Hands, Look } from "@telltale/runtime";

export function reading(it: Controller, read: (kind: KindRef) => void): Controller {
  const { steps, finalizer } = it;
  const observe: typeof steps.observe = (object, look) => steps.observe(object, watchful(look, read));
  const act: typeof steps.act = (actions, hands, world) =>
    steps.act?.(actions, handy(hands, read), world) as Promise<void>;
  const run: Finalize<KindRef> = (object, hands, draft) =>
    finalizer?.run(object, handy(hands, read), draft) as Promise<Finalized>;
  return {
    ...it,
    steps: { ...steps, observe, ...(steps.act === undefined ? {} : { act }) },
    ...(finalizer === undefined ? {} : { finalizer: { ...finalizer, run } }),
  };
}

function watchful<L extends Look>(look: L, read: (kind: KindRef) => void): L {
  return {
    ...look,
    get: (kind, name) => {
      read(kind);
      return look.get(kind, name);
    },
    list: (kind, select) => {
      read(kind);
      return look.list(kind, select);
    },
    where: (kind, index, value) => {
      read(kind);
      return look.where(kind, index, value);
    },
    children: (kind, of) => {
      read(kind);
      return look.children(kind, of);
    },
    live: (kind, name) => {
      read(kind);
      return look.live(kind, name);
    },
  };
}

function handy(hands: Hands, read: (kind: KindRef) => void): Hands {
  return {
    ...watchful(hands, read),
    ensure: (kind, object, options) => {
      read(kind);
      return hands.ensure(kind, object, options);
    },
  };
}
