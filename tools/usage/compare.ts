// What is declared against what was recorded: spec fields and settings that no code read, statuses, reasons and metrics that
// nothing ever wrote.
import { bugReason, type Kind, type Reason, type Structural } from "@telltale/kinds";
import type { Reads, Usage } from "./record.ts";

/** All recordings as one. */
export function merged(all: readonly Usage[]): Usage {
  const into: Usage = { specs: {}, settings: {}, statuses: {}, conditions: {}, metrics: {} };
  for (const usage of all) {
    for (const part of ["specs", "settings"] as const) {
      for (const [name, reads] of Object.entries(usage[part])) into[part][name] = join(into[part][name], reads);
    }
    for (const part of ["statuses", "conditions"] as const) {
      for (const [name, values] of Object.entries(usage[part])) {
        into[part][name] = [...new Set([...(into[part][name] ?? []), ...values])];
      }
    }
    for (const [name, state] of Object.entries(usage.metrics)) {
      if (into.metrics[name] !== "sampled") into.metrics[name] = state;
    }
  }
  return into;
}

function join(a: Reads | undefined, b: Reads): Reads {
  if (a === undefined) return b;
  const names = new Set([...Object.keys(a.fields ?? {}), ...Object.keys(b.fields ?? {})]);
  const fields = Object.fromEntries(
    [...names].map((name) => {
      const other = b.fields?.[name];
      return [name, other === undefined ? (a.fields?.[name] ?? {}) : join(a.fields?.[name], other)];
    }),
  );
  return {
    ...((a.read ?? b.read) && { read: true as const }),
    ...((a.listed ?? b.listed) && { listed: true as const }),
    ...((a.set ?? b.set) && { set: true as const }),
    ...(names.size > 0 && { fields }),
  };
}

/** Fields of a spec that nothing read, the outermost ones only. `a.{}`: code asks for `a`, and no suite has one, so that nothing is known of what is in it. */
export function unreadFields(schema: Structural, reads: Reads): string[] {
  const found: string[] = [];
  const visit = (node: Structural, at: Reads, path: string): void => {
    if (node.items !== undefined) visit(node.items, at.fields?.["[]"] ?? {}, `${path}[]`);
    if (node.additionalProperties !== undefined) {
      const each = Object.values(at.fields ?? {}).reduce<Reads | undefined>((sum, one) => join(sum, one), undefined);
      if (each !== undefined) visit(node.additionalProperties, each, `${path}{}`);
    }
    // Passed on whole: all that is in it reaches what it is passed to.
    if (path !== "" && at.listed === true) return;
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      const known = at.fields?.[name];
      const inner = path === "" ? name : `${path}.${name}`;
      if (known === undefined || !isTouched(known)) found.push(inner);
      else if (known.set === true) visit(child, known, inner);
      else if (child.properties ?? child.items ?? child.additionalProperties) found.push(`${inner}.{}`);
    }
  };
  visit(schema, reads, "");
  return found;
}

const isTouched = (reads: Reads): boolean =>
  reads.read === true || Object.values(reads.fields ?? {}).some((child) => isTouched(child));

/** Settings that nothing read after they were parsed, the outermost ones only. */
export function unreadSettings(reads: Reads): string[] {
  const found: string[] = [];
  const visit = (at: Reads, path: string): void => {
    if (path !== "" && at.listed === true) return;
    for (const [name, known] of Object.entries(at.fields ?? {}).filter(([key]) => key !== "[]")) {
      const inner = path === "" ? name : `${path}.${name}`;
      if (!isTouched(known)) found.push(inner);
      else visit(known, inner);
    }
  };
  visit(reads, "");
  return found;
}

/** Fields of a status that were never written with a value, the outermost ones only. */
export function unwrittenFields(schema: Structural, written: readonly string[]): string[] {
  const known = new Set(written);
  const found: string[] = [];
  const visit = (node: Structural, path: string): void => {
    if (node.items !== undefined) visit(node.items, `${path}[]`);
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      const inner = path === "" ? name : `${path}.${name}`;
      if (inner === "conditions") continue;
      if (known.has(inner)) visit(child, inner);
      else found.push(inner);
    }
  };
  visit(schema, "");
  return found;
}

/**
 * Reasons that were never given, as `Kind Type/Reason`, at the first condition that declares them. What several conditions share is
 * one declaration: it is used where one of them gives it.
 */
export function unusedReasons(kinds: readonly Kind[], writtenOf: (kind: Kind) => readonly string[]): string[] {
  const declared = new Map<Reason, { readonly at: string; isGiven: boolean }>();
  for (const kind of kinds) {
    const given = writtenOf(kind).map((text) => {
      const [type = "", rest = ""] = text.split("=");
      return { type, reason: rest.slice(rest.indexOf("/") + 1) };
    });
    for (const [type, condition] of Object.entries(kind.conditions.types)) {
      if (condition.form === "mirrored") continue;
      const isOf = (other: string) => (condition.form === "family" ? other.startsWith(type) : other === type);
      const used = new Set(given.filter((one) => isOf(one.type)).map(({ reason }) => reason));
      for (const [name, reason] of Object.entries(condition.reasons)) {
        if (name === bugReason) continue;
        const known = declared.get(reason) ?? { at: `${kind.kind} ${type}/${name}`, isGiven: false };
        known.isGiven ||= used.has(name);
        declared.set(reason, known);
      }
    }
  }
  return [...declared.values()].filter(({ isGiven }) => !isGiven).map(({ at }) => at);
}
