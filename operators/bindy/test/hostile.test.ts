// A-143 for what a person writes: each attack in every field of ours, by the schema that a server holds it against, and by the
// operator, which trusts no server.
import { findMisfit, type Structural } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kindNamed, objectOf } from "./definitions.ts";
import { attacks, dotted } from "./hostile.ts";
import { check } from "./problems.ts";
import { full, type KindName } from "./specs.ts";

type Path = readonly (string | number)[];

/** Where free text may stand: it is quoted and escaped, or Kubernetes alone reads it. */
const free: readonly RegExp[] = [
  /^text\.0$/, // TXT and CAA values are written between quotes
  /^value$/,
  /\.service\.annotations\./,
  /\.metadata\.annotations\./,
  /\.secret\.(stringData|data)\./, // looked at when the key is read from it
  /\.envVars\.0\.value$/,
  /(^|\.)(serviceSpec|service\.spec|resources|emptyDir)\./, // as core/v1 has it; the server checks what is made of it
  /(From\.0\.selector)\./, // labels are compared, and written nowhere
];

/** Fields that a schema lets through in part, because no pattern can tell: the operator refuses the rest. */
const later: readonly RegExp[] = [
  /(^|\.)image$/,
  /^volumes\./,
  /^volumeMounts\./,
  /labels\./,
  /\.envVars\./,
  /^nameServerIps\./,
  /^acls\./,
];

const isAny = (patterns: readonly RegExp[], path: Path): boolean => patterns.some((it) => it.test(path.join(".")));

/** A label may have two dots together, and is compared only. */
const isLawful = (at: Path, attack: string): boolean => /labels\./.test(at.join(".")) && attack === "double..dot";

/** Where names have a dot at their end, those with one might pass. */
const attacksOn = (at: Path, spec: unknown): readonly string[] =>
  String(textAt(spec, at)).endsWith(".") ? [...attacks, ...dotted] : attacks;

const textAt = (value: unknown, [head, ...rest]: Path): unknown =>
  head === undefined ? value : textAt((value as Record<string, unknown>)[head], rest);

/** Every text in a value, and every key of a map. */
function* texts(schema: Structural | undefined, value: unknown, at: Path = []): Iterable<{ at: Path; isKey: boolean }> {
  if (typeof value === "string") yield { at, isKey: false };
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (schema?.additionalProperties !== undefined) yield { at: [...at, key], isKey: true };
    const child = schema?.items ?? schema?.properties?.[name] ?? schema?.additionalProperties;
    yield* texts(child, member, [...at, key]);
  }
}

function withText(value: unknown, [head, ...rest]: Path, isKey: boolean, text: string): unknown {
  if (head === undefined) return text;
  if (Array.isArray(value)) return value.map((item, i) => (i === head ? withText(item, rest, isKey, text) : item));
  const members = Object.entries(value as object).map(([name, member]) => {
    if (name !== head) return [name, member] as const;
    return isKey && rest.length === 0
      ? ([text, member] as const)
      : ([name, withText(member, rest, isKey, text)] as const);
  });
  return Object.fromEntries(members);
}

const checkSpec = (name: KindName, spec: unknown) => check(objectOf(kindNamed(name), "attacked", spec as object));

describe("A-143 attack strings", () => {
  describe.each(Object.keys(full) as readonly KindName[])("in a %s", (name) => {
    const fields = [...texts(kindNamed(name).schema.spec, full[name])].filter(({ at }) => !isAny(free, at));
    const cases = fields.flatMap(({ at, isKey }) =>
      attacksOn(at, full[name])
        .filter((attack) => !isLawful(at, attack))
        .map((attack) => ({ at, attack, spec: withText(full[name], at, isKey, attack) })),
    );
    const told = ({ at, attack }: { at: Path; attack: string }) => `${at.join(".")} ${JSON.stringify(attack)}`;

    test("the sound one is accepted by both", () => {
      expect(fields.length).toBeGreaterThan(0);
      expect(checkSpec(name, full[name])).toMatchObject({ at: "valid" });
      expect(findMisfit(kindNamed(name).schema.spec, full[name], "spec")).toBeUndefined();
    });

    test("the operator refuses every one, by the field and without repeating it", () => {
      for (const it of cases) {
        const found = checkSpec(name, it.spec);
        if (found.at === "valid") throw new Error(`${told(it)} is accepted`);
        expect(`${found.path} ${found.problem}`, told(it)).not.toContain(it.attack);
      }
    });

    test("the schema refuses every one of what it can tell by a pattern", () => {
      const { schema } = kindNamed(name);
      const accepted = cases.filter(
        ({ at, spec }) => !isAny(later, at) && findMisfit(schema.spec, spec, "") === undefined,
      );
      expect(accepted.map(told)).toEqual([]);
    });
  });
});

describe("A-143 whatever is accepted", () => {
  const places = (Object.keys(full) as readonly KindName[]).flatMap((name) =>
    [...texts(kindNamed(name).schema.spec, full[name])]
      .filter(({ at }) => !isAny(free, at))
      .map(({ at, isKey }) => ({ name, at, isKey })),
  );
  /** Made of what ends a word, a line, a statement or a command somewhere, and of what names are made of. */
  const hostile = fc.string({
    unit: fc.constantFrom(
      ..."ab01.-_*@!/: ;{}()[]\"'\\$%&|<>`~#?,=+\n\r\t\0",
      "any",
      "key ",
      "::",
      "/8",
      "\u202e",
      "é",
    ),
    maxLength: 24,
  });

  test("has no character that ends anything where it is written", () => {
    fc.assert(
      fc.property(fc.constantFrom(...places), hostile, ({ name, at, isKey }, text) => {
        if (checkSpec(name, withText(full[name], at, isKey, text)).at === "invalid") return;
        expect(text, `${name} ${at.join(".")}`).toMatch(/^(! ?|key |! ?key )?[A-Za-z0-9._:/@*[\]-]*$/);
        expect(text, `${name} ${at.join(".")}`).not.toMatch(/^-|\.\./);
      }),
      { seed: 12, numRuns: 3000 },
    );
  });
});
