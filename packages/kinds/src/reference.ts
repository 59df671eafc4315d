// `referenceOf`: what a kind is, for people, as Markdown. Everything in it comes from the declaration.
import type { ConditionDeclaration, Conditions } from "./conditions.ts";
import type { Kind } from "./kind.ts";
import { code, markdownTable as table } from "./markdown.ts";
import type { Phases } from "./phases.ts";
import type { Structural } from "./structural.ts";
import { canonicalJson } from "./values/canonical.ts";

/** The reference page of a kind. The same kind gives the same text. */
export function referenceOf(kind: Kind): string {
  return [
    `# ${kind.kind}`,
    kind.description,
    names(kind),
    versions(kind),
    columns(kind),
    fields("Spec", "spec", kind.schema.spec),
    kind.schema.status === undefined ? "" : fields("Status", "status", kind.schema.status),
    kind.phases === undefined ? "" : phases(kind.phases),
    conditions(kind.conditions),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

function names(kind: Kind): string {
  return table(
    ["", ""],
    [
      ["API version", code(kind.apiVersion)],
      ["Kind", code(kind.kind)],
      ["Resource", code(`${kind.plural}.${kind.group}`)],
      ["Short names", kind.shortNames.map(code).join(", ")],
      ["Categories", kind.categories.map(code).join(", ")],
      ["Scope", kind.scope],
      [
        "Subresources",
        Object.entries(kind.subresources)
          .flatMap(([name, has]) => (has ? [code(name)] : []))
          .join(", "),
      ],
      ["Selectable fields", kind.selectableFields.map(code).join(", ")],
    ].filter(([, value]) => value !== ""),
  );
}

function versions(kind: Kind): string {
  if (kind.versions.length === 0) return "";
  const rows = kind.versions.map((v) => [
    code(v.name),
    v.served ? "converted" : "not served",
    v.deprecated === undefined ? "" : v.deprecated === true ? "deprecated" : v.deprecated,
  ]);
  return section("Versions", table(["Version", "", "Warning"], [[code(kind.version), "stored", ""], ...rows]));
}

function columns(kind: Kind): string {
  const rows = kind.columns.map((c) => [
    c.name,
    code(c.jsonPath),
    c.type,
    c.priority === 0 ? "always" : "`-o wide`",
    c.description ?? "",
  ]);
  return rows.length === 0 ? "" : section("Columns", table(["Column", "Path", "Type", "Shown", "Description"], rows));
}

function fields(title: string, root: string, schema: Structural): string {
  const rows = [...rowsOf(schema, root)];
  const head = ["Field", "Type", "Required", "Default", "Limits", "Description"];
  return rows.length === 0 ? section(title, "No fields.") : section(title, table(head, rows));
}

function* rowsOf(s: Structural, path: string): Generator<string[]> {
  for (const [name, child] of Object.entries(s.properties ?? {})) {
    const at = `${path}.${name}`;
    yield [
      code(at),
      typeOf(child),
      s.required?.includes(name) === true ? "yes" : "",
      child.default === undefined ? "" : code(canonicalJson(child.default)),
      limits(child),
      child.description ?? "",
    ];
    yield* below(child, at);
  }
}

function* below(s: Structural, path: string): Generator<string[]> {
  yield* rowsOf(s, path);
  if (s.items !== undefined) yield* below(s.items, `${path}[]`);
  if (s.additionalProperties !== undefined) yield* below(s.additionalProperties, `${path}{}`);
}

function typeOf(s: Structural): string {
  if (s["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (s["x-kubernetes-embedded-resource"] === true) return "Kubernetes object";
  if (s.items !== undefined) return `${listWord(s)} of ${typeOf(s.items)}`;
  if (s.additionalProperties !== undefined) return `map of ${typeOf(s.additionalProperties)}`;
  return `${s.type ?? "anything"}${s.format === undefined ? "" : ` (${s.format})`}`;
}

function listWord(s: Structural): string {
  const keys = s["x-kubernetes-list-map-keys"];
  if (keys !== undefined) return `list by ${keys.join(", ")}`;
  return s["x-kubernetes-list-type"] === "set" ? "set" : "list";
}

function limits(s: Structural): string {
  const below = s.exclusiveMaximum === true ? "<" : "≤";
  const above = s.exclusiveMinimum === true ? ">" : "≥";
  return [
    s.enum === undefined ? "" : `one of ${s.enum.map((value) => code(String(value))).join(", ")}`,
    s.minimum === undefined ? "" : `${above} ${s.minimum}`,
    s.maximum === undefined ? "" : `${below} ${s.maximum}`,
    s.multipleOf === undefined ? "" : `multiple of ${s.multipleOf}`,
    s.minLength === undefined ? "" : `at least ${s.minLength} characters`,
    s.maxLength === undefined ? "" : `at most ${s.maxLength} characters`,
    s.pattern === undefined ? "" : `matches ${code(s.pattern)}`,
    s.minItems === undefined ? "" : `at least ${s.minItems} items`,
    s.maxItems === undefined ? "" : `at most ${s.maxItems} items`,
    s.minProperties === undefined ? "" : `at least ${s.minProperties} keys`,
    s.maxProperties === undefined ? "" : `at most ${s.maxProperties} keys`,
    s.nullable === true ? "may be null" : "",
    ...(s["x-kubernetes-validations"] ?? []).map((rule) => rule.message),
  ]
    .filter((limit) => limit !== "")
    .join("; ");
}

function phases(p: Phases): string {
  const rows = p.names.map((name) => [
    name,
    p.means[name] ?? "",
    (p.arrows.get(name) ?? []).map(({ to, guard }) => (guard === undefined ? to : `${to} (${guard})`)).join(", "),
    [p.initial.includes(name) ? "initial" : "", p.finalNames.includes(name) ? "final" : ""].filter(Boolean).join(", "),
  ]);
  return section("Phases", table(["Phase", "Means", "Leads to", ""], rows));
}

function conditions(c: Conditions): string {
  const types = Object.entries(c.types);
  if (types.length === 0) return "";
  const rows = types.map(([type, d]) => [
    type === c.top ? `**${written(type, d)}**` : written(type, d),
    d.means,
    polarityWord[d.polarity],
    presence(d),
  ]);
  const head = table(["Condition", "Means", "True is", "Present"], rows);
  return section("Conditions", [head, ...types.flatMap(([type, d]) => reasons(type, d))].join("\n\n"));
}

const polarityWord = { positive: "good", negative: "bad", neutral: "neither good nor bad" } as const;

const presenceWord = {
  always: "always",
  onceSet: "from the first time that it is set",
  onceTrue: "from the first time that it is True",
  whenTrue: "while it is True",
} as const;

/** `Pod-{index}`, where there is one for each child. */
export function written(type: string, d: ConditionDeclaration): string {
  return d.form === "family" ? `${type}-{index}` : type;
}

function presence(d: ConditionDeclaration): string {
  if (d.form === "derived") return `always; computed from ${d.from.join(", ")}`;
  if (d.form === "family") return `one for each child, at most ${d.max}`;
  return d.form === "mirrored" ? `${presenceWord[d.present]}; repeats another object's` : presenceWord[d.present];
}

function reasons(type: string, d: ConditionDeclaration): string[] {
  const rows = Object.entries(d.reasons).map(([reason, r]) => [code(reason), r.on.join(", "), r.means, r.fix]);
  if (rows.length === 0) return [];
  return [`### ${written(type, d)}\n\n${table(["Reason", "Status", "Means", "What to do"], rows)}`];
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}
