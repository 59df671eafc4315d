// Values at the edges of a schema: what a person may write into a spec, and nobody thought of. Pure. What fits the schema and
// breaks a rule is left to the server to refuse.
import { canonicalJson, deepEqual, misfit, type Structural } from "@telltale/kinds";

/** Another value for one field. */
export interface Edge {
  /** `/ports/0/name` */
  readonly at: string;
  /** Which edge it is: `least`, `longest`, `absent`. */
  readonly as: string;
  /** Undefined: the field is taken away. */
  readonly value: unknown;
}

/** Every edge of a value's fields, and of those that it could have. */
export function* edges(schema: Structural, value: unknown, at = ""): Generator<Edge, void, undefined> {
  if (isImmutable(schema)) return;
  const known = new Set([canonicalJson(value ?? null)]);
  for (const [as, edge] of edgesOf(schema, value)) {
    const text = canonicalJson(edge);
    if (known.has(text) || misfit(schema, edge, "") !== undefined) continue;
    known.add(text);
    yield { at, as, value: edge };
  }
  for (const { name, child, isRequired } of below(schema, value)) {
    const inner = valueAt(value, `/${escaped(name)}`);
    const place = `${at}/${escaped(name)}`;
    if (inner !== undefined && !isRequired && !isImmutable(child)) yield { at: place, as: "absent", value: undefined };
    yield* edges(child, inner, place);
  }
}

/** For each plain field that is there, a value like it. */
export function* neighbours(schema: Structural, value: unknown, at = ""): Generator<Edge, void, undefined> {
  if (isImmutable(schema) || value === undefined) return;
  const near = nearTo(schema, value).find((it) => !deepEqual(it, value) && misfit(schema, it, "") === undefined);
  if (near !== undefined) yield { at, as: "near", value: near };
  for (const { name, child } of below(schema, value)) {
    yield* neighbours(child, valueAt(value, `/${escaped(name)}`), `${at}/${escaped(name)}`);
  }
}

/** What is at a place. */
export function valueAt(value: unknown, at: string): unknown {
  let found = value;
  for (const name of segments(at)) found = isRecord(found) || Array.isArray(found) ? own(found, name) : undefined;
  return found;
}

/** The same value with something else at a place. A place whose surroundings are not there stays as it is. */
export function withValue(value: unknown, at: string, next: unknown): unknown {
  const [name, ...rest] = segments(at);
  if (name === undefined) return next;
  const inner = `${rest.map((it) => `/${escaped(it)}`).join("")}`;
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? withValue(item, inner, next) : item));
  if (!isRecord(value) || (rest.length > 0 && value[name] === undefined)) return value;
  const { [name]: before, ...others } = value;
  const after = withValue(before, inner, next);
  return after === undefined ? others : { ...value, [name]: after };
}

type Loose = Readonly<Record<string, unknown>>;

/** Longer than any message may be. */
const long = 40_000;
const farTimes = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] as const;
const int32 = 2 ** 31;

/** Texts for patterns: of all that somebody may have meant, those that fit. */
const odds = [
  "0",
  "-1",
  "0s",
  "-1h",
  "2540400h",
  "1n",
  "9E",
  "100%",
  "1000%",
  "a",
  "A",
  "z-9",
  "a.b",
  "::1",
  "0.0.0.0",
];
const odd = `-rf "$(x)" \\ {{.y}} é☃\n\t%s`;

function edgesOf(schema: Structural, value: unknown): [string, unknown][] {
  const out: [string, unknown][] = schema.nullable === true ? [["null", null]] : [];
  if (schema.enum !== undefined) return [...out, ...schema.enum.map((it): [string, unknown] => [`is ${it}`, it])];
  if (schema["x-kubernetes-int-or-string"] === true) return [...out, ...numbers({}), ...texts(schema)];
  switch (schema.type) {
    case "integer":
    case "number":
      return [...out, ...numbers(schema)];
    case "boolean":
      return [...out, ["yes", true], ["no", false]];
    case "string":
      return [...out, ...texts(schema)];
    case "array":
      return [...out, ...lists(schema, value)];
    case "object":
      return [...out, ...objects(schema, value)];
    default:
      return out;
  }
}

function numbers(schema: Structural): [string, unknown][] {
  const { minimum, maximum, format, type, multipleOf = type === "number" ? 0.5 : 1 } = schema;
  const least = minimum === undefined ? -int32 : minimum + (schema.exclusiveMinimum === true ? multipleOf : 0);
  const top = format === "int64" ? Number.MAX_SAFE_INTEGER : int32 - 1;
  const most = maximum === undefined ? top : maximum - (schema.exclusiveMaximum === true ? multipleOf : 0);
  return [
    ["least", least],
    ["most", most],
    ["zero", 0],
    ["minus", -1],
  ];
}

function texts(schema: Structural): [string, unknown][] {
  if (schema.format === "date-time") return farTimes.map((time, i) => [i === 0 ? "least" : "most", time]);
  const { minLength = 0, maxLength = long, pattern } = schema;
  if (pattern === undefined)
    return [
      ["empty", ""],
      ["shortest", "x".repeat(minLength)],
      ["longest", "x".repeat(maxLength)],
      ["odd", odd],
    ];
  const matching = odds.filter((text) => misfit(schema, text, "") === undefined);
  // Whatever may stand in it once may often stand in it many times.
  const longest = matching.map((text) => text.slice(-1).repeat(maxLength)).find((text) => !misfit(schema, text, ""));
  return [
    ["empty", ""],
    ...matching.map((text): [string, unknown] => [`as ${text}`, text]),
    ...(longest === undefined ? [] : ([["longest", longest]] as [string, unknown][])),
  ];
}

function lists(schema: Structural, value: unknown): [string, unknown][] {
  const items = Array.isArray(value) ? value : [];
  const one = schema.items === undefined ? undefined : leastOf(schema.items);
  const canRepeat = (schema["x-kubernetes-list-type"] ?? "atomic") === "atomic";
  return [
    ["empty", []],
    ...(one === undefined ? [] : ([["one", [one]]] as [string, unknown][])),
    ...(canRepeat && items.length > 0 ? ([["twice", [...items, ...items]]] as [string, unknown][]) : []),
    ...(items.length > 1 ? ([["reversed", items.toReversed()]] as [string, unknown][]) : []),
  ];
}

function objects(schema: Structural, value: unknown): [string, unknown][] {
  const { additionalProperties: member } = schema;
  const one = member === undefined ? undefined : leastOf(member);
  return [
    ...(value === undefined || schema.properties === undefined ? ([["least", leastOf(schema)]] as const) : []),
    ...(one === undefined ? [] : ([["odd", { "Odd key/é ": one }]] as const)),
  ].filter(([, it]) => it !== undefined) as [string, unknown][];
}

/** The smallest value that fits, where one can be found. */
export function leastOf(schema: Structural): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.type === "object") {
    const fields = (schema.required ?? []).map((name) => {
      const child = schema.properties?.[name];
      return [name, child === undefined ? undefined : leastOf(child)] as const;
    });
    const whole = Object.fromEntries(fields);
    return misfit(schema, whole, "") === undefined ? whole : undefined;
  }
  const found = edgesOf(schema, undefined).map(([, it]) => it);
  return found.find((it) => it !== null && misfit(schema, it, "") === undefined);
}

function nearTo({ enum: choices }: Structural, value: unknown): readonly unknown[] {
  if (choices !== undefined) return choices;
  if (typeof value === "number") return [value + 1, value - 1];
  if (typeof value === "boolean") return [!value];
  return typeof value === "string" ? [`${value}x`, value.slice(0, -1)] : [];
}

interface Child {
  readonly name: string;
  readonly child: Structural;
  readonly isRequired: boolean;
}

/** The fields of what is there. Of lists and maps one stands for all. */
function* below(schema: Structural, value: unknown): Iterable<Child> {
  if (Array.isArray(value)) {
    if (schema.items !== undefined && value.length > 0) yield { name: "0", child: schema.items, isRequired: true };
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    yield { name, child, isRequired: schema.required?.includes(name) === true };
  }
  const [first] = Object.keys(value);
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && first !== undefined)
    yield { name: first, child: additionalProperties, isRequired: false };
}

const isImmutable = (schema: Structural): boolean =>
  schema["x-kubernetes-validations"]?.some(({ rule }) => rule.replaceAll(" ", "") === "self==oldSelf") === true;

const isRecord = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = (value: object, name: string): unknown => (Object.hasOwn(value, name) ? (value as Loose)[name] : undefined);

const segments = (at: string): string[] =>
  at
    .split("/")
    .slice(1)
    .map((it) => it.replaceAll("~1", "/").replaceAll("~0", "~"));

/** A name as one step of a place. */
export const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
