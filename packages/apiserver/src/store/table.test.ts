import fc from "fast-check";
import { expect, test } from "vitest";
import { ParsedObjects, StoredRecord } from "./record.ts";
import { Table } from "./table.ts";

const parsed = new ParsedObjects();
const record = (key: string, revision = 1): StoredRecord =>
  new StoredRecord({ key, revision, created: 1 }, "{}", parsed);
const keys = (records: Iterable<StoredRecord>): string[] => [...records].map(({ key }) => key);

const key = fc.integer({ min: 0, max: 2_000 }).map((n) => `/g/r/${n % 7 === 0 ? "a-b" : "a"}/${n}`);

test("a table and its forks behave like sorted maps that know nothing of each other", () => {
  const step = fc.record({
    on: fc.nat({ max: 3 }),
    act: fc.constantFrom("set", "set", "set", "delete", "fork", "fill"),
    key,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pairs = [{ table: new Table(), model: new Map<string, StoredRecord>() }];
      let revision = 0;
      for (const { on, act, key } of steps) {
        const pair = pairs[on % pairs.length];
        if (pair === undefined) continue;
        const { table, model } = pair;
        const put = (it: StoredRecord) => {
          table.set(it);
          model.set(it.key, it);
        };
        revision += 1;
        if (act === "set") put(record(key, revision));
        // Enough to split chunks.
        else if (act === "fill") for (let i = 0; i < 400; i++) put(record(`${key}${(i * 37) % 400}`, revision));
        else if (act === "fork") pairs.push({ table: table.fork(), model: new Map(model) });
        else {
          table.delete(key);
          model.delete(key);
        }
      }
      for (const { table, model } of pairs) {
        expect(keys(table)).toEqual([...model.keys()].sort());
        for (const [key, it] of model) expect(table.get(key)).toBe(it);
      }
    }),
    { numRuns: 60 },
  );
});

test("a range is what a filter of all keys gives", () => {
  const prefix = fc.constantFrom("", "/", "/g/r/", "/g/r/a/", "/g/r/a-b/", "/g/r/a/1", "/z");
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { maxLength: 900, minLength: 0 }),
      prefix,
      fc.option(fc.oneof(key, fc.constantFrom("", "/z", "/g/r/a/1\0")), { nil: undefined }),
      fc.integer({ min: 1, max: 700 }),
      (all, prefix, after, limit) => {
        const table = new Table();
        for (const key of all) table.set(record(key));
        const wanted = all.filter((key) => key.startsWith(prefix) && (after === undefined || key > after)).sort();
        const { records, count } = table.range(prefix, after, limit);
        expect(keys(records)).toEqual(wanted.slice(0, limit));
        expect(count).toBe(wanted.length);
      },
    ),
    { numRuns: 200 },
  );
});
