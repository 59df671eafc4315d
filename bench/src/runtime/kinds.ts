// The two kinds of the bench. The CRDs that every operator meets come from them; ours is written with them.
import {
  conditions,
  Dictionary,
  defineKind,
  Fields,
  Int32,
  ListMap,
  no,
  Optional,
  positive,
  Text,
  yes,
} from "@telltale/kinds";

export const group = "bench.telltale.dev";

const Part = Fields({ name: Text(), colour: Text(), weight: Int32() });

/** Its status is derived from its spec alone: the generation and five conditions. */
export const Widget = defineKind({
  group,
  version: "v1",
  kind: "Widget",
  spec: Fields({
    size: Int32({ minimum: 0 }),
    image: Text(),
    parts: Optional(ListMap(Part, ["name"])),
    settings: Optional(Dictionary(Text())),
  }),
  conditions: conditions({
    Ready: positive({
      means: "The widget is made",
      reasons: { Made: yes("It is"), Refused: no("It is too large", "ask for a smaller one") },
    }),
    Accepted: positive({
      means: "The spec can be followed",
      reasons: { Valid: yes("It can"), Invalid: no("It cannot", "correct the spec") },
    }),
    Sized: positive({
      means: "The size is one that we make",
      reasons: { Fits: yes("It is"), TooLarge: no("It is too large", "ask for a smaller one") },
    }),
    Stocked: positive({
      means: "The parts are there",
      reasons: { InStock: yes("They are"), NoParts: no("None is named", "name one") },
    }),
    Balanced: positive({
      means: "The size is an even number",
      reasons: { Even: yes("It is"), Odd: no("It is odd", "nothing to do") },
    }),
  }),
});

/** The parent: it sums up how many of its widgets are ready. */
export const Shelf = defineKind({
  group,
  version: "v1",
  kind: "Shelf",
  plural: "shelves",
  spec: Fields({ room: Text() }),
  status: Fields({ widgets: Int32(), ready: Int32() }),
  conditions: conditions({
    Ready: positive({
      means: "All of its widgets are ready",
      reasons: {
        AllReady: yes("They are"),
        PartiallyReady: no("Some are not", "wait, or look at them"),
        NotReady: no("None is", "wait, or look at them"),
        NoChildren: no("There are none", "make some"),
      },
    }),
  }),
});
