import { expect, test } from "vitest";
import { conditions, no, positive, yes } from "./conditions.ts";
import { referencesOf, troublesOf } from "./guide.ts";
import { defineKind } from "./kind.ts";
import { Fields, Text } from "./schema.ts";

const reasons = { Done: yes("It is"), Late: no("It is late", "wait | look"), Early: no("It is early", "wait") };
const kindNamed = (kind: string) =>
  defineKind({
    group: "telltale.test",
    version: "v1",
    kind,
    spec: Fields({ place: Fields({ street: Text(), door: Text() }) }),
    conditions: conditions({ Ready: positive({ means: "It is done", reasons }) }),
  });
const [Letter, Parcel] = [kindNamed("Letter"), kindNamed("Parcel")];

test("reasons that ask for something stand in one table, by name, each once", () => {
  expect(troublesOf([Letter, Parcel])).toBe(
    [
      "| Reason | Condition | Of | Means | Do |",
      "|---|---|---|---|---|",
      "| `Early` | Ready | Letter, Parcel | It is early | wait |",
      "| `Late` | Ready | Letter, Parcel | It is late | wait \\| look |",
      // Every kind has it.
      "| `ReconcileFailed` | Ready | Letter, Parcel | The operator met an error that nobody expected | look at its log, and report it |",
    ].join("\n"),
  );
});

test("the same reason with other words is another row", () => {
  const Card = defineKind({
    group: "telltale.test",
    version: "v1",
    kind: "Card",
    conditions: conditions({
      Ready: positive({ means: "It is", reasons: { Late: no("It is lost", "write again"), Done: yes("It is") } }),
    }),
  });
  const rows = troublesOf([Letter, Card]).split("\n");
  expect(rows.filter((row) => row.startsWith("| `Late`"))).toHaveLength(2);
});

test("references stand below a title, without the fields that are left out", () => {
  const [page = "", ...more] = referencesOf([Letter, Parcel], /place\./);
  expect(more).toHaveLength(1);
  expect(page).toMatch(/^## Letter\n/);
  expect(page).toContain("\n### Spec\n");
  expect(page).toContain("| `spec.place` |");
  expect(page).not.toContain("spec.place.street");
  expect(referencesOf([Letter])[0]).toContain("| `spec.place.street` |");
});
