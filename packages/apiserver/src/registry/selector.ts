// Which objects a list or a watch is about: labels and fields.
import { matchesRequirements, parseLabelSelector, type Requirement } from "@telltale/kinds";
import { badRequest } from "../status.ts";
import type { StoredRecord } from "../store/record.ts";
import type { Resource } from "./resource.ts";

interface FieldTerm {
  readonly key: string;
  readonly equal: boolean;
  readonly value: string;
}

export interface Selection {
  readonly labels: readonly Requirement[];
  readonly fields: readonly FieldTerm[];
  /** The one name that is asked for, where it is one. */
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly all: boolean;
}

export function selection(r: Resource, query: URLSearchParams, pathName = ""): Selection {
  const parsed = parseLabelSelector(query.get("labelSelector") ?? "");
  if ("error" in parsed) throw badRequest(parsed.error);
  const fields = parseFields(query.get("fieldSelector") ?? "");
  if (pathName !== "" && !fields.some((f) => f.key === "metadata.name")) {
    fields.push({ key: "metadata.name", equal: true, value: pathName });
  }
  for (const { key } of fields) {
    const refused = r.refuseField(key);
    if (refused !== undefined) throw badRequest(refused);
  }
  const exactly = (key: string) => fields.find((f) => f.key === key && f.equal)?.value;
  return {
    labels: parsed.ok,
    fields,
    name: exactly("metadata.name"),
    namespace: exactly("metadata.namespace"),
    all: parsed.ok.length === 0 && fields.length === 0,
  };
}

/** `a=b,c!=d`, with `\,`, `\=` and `\\` as escapes. */
function parseFields(text: string): FieldTerm[] {
  return split(text).flatMap((term) => {
    if (term === "") return [];
    const at = operator(term);
    if (at === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    return [{ key: unescaped(term.slice(0, at.from)), equal: at.equal, value: unescaped(term.slice(at.to)) }];
  });
}

function split(text: string): string[] {
  const out: string[] = [];
  let term = "";
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === "\\" && i + 1 < text.length) {
      term += text.slice(i, i + 2);
      i += 1;
    } else if (text[i] === ",") {
      out.push(term);
      term = "";
    } else term += text[i];
  }
  out.push(term);
  return out;
}

function operator(term: string): { from: number; to: number; equal: boolean } | undefined {
  for (let i = 0; i < term.length; i += 1) {
    if (term[i] === "\\") i += 1;
    else if (term.startsWith("!=", i)) return { from: i, to: i + 2, equal: false };
    else if (term.startsWith("==", i)) return { from: i, to: i + 2, equal: true };
    else if (term[i] === "=") return { from: i, to: i + 1, equal: true };
  }
  return undefined;
}

const unescaped = (text: string): string => text.replace(/\\([\\,=])/g, "$1");

/** Whether a stored state is selected. Fields are looked at only where a selector names one. */
export function matches(s: Selection, r: Resource, record: StoredRecord): boolean {
  if (s.all) return true;
  if (!matchesRequirements(s.labels, record.labels)) return false;
  if (s.fields.length === 0) return true;
  const { namespace, name } = placeOf(r, record.key);
  let values: Readonly<Record<string, string>> | undefined;
  return s.fields.every(({ key, equal, value }) => {
    if (key === "metadata.name") return (name === value) === equal;
    if (key === "metadata.namespace") return (namespace === value) === equal;
    values ??= r.selectable(record.object());
    return ((values[key] ?? "") === value) === equal;
  });
}

/** Namespace and name of a stored object, from its key. */
export function placeOf(r: Resource, key: string): { namespace: string; name: string } {
  const parts = key.split("/");
  return r.namespaced ? { namespace: parts[3] ?? "", name: parts[4] ?? "" } : { namespace: "", name: parts[3] ?? "" };
}
