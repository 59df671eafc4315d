// Whether a template can be rendered, as far as that can be told without an apply (6.1). Pure.
import { type SafeText, text } from "@telltale/status";
import { moduleSources } from "../kinds/workspace-spec.ts";
import type { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { unusableTemplate } from "../validate/run-options.ts";
import { namespacesOf, type Reach } from "../workspace-template-apply/spec-rules.ts";
import { hasBadPlaceholder } from "../workspace-template-apply/substitute.ts";

/** What is wrong with it: the first thing, without a word of the template itself. Undefined: nothing. */
export function invalid({ metadata, spec }: WorkspaceTemplate, allowed: readonly string[]): SafeText | undefined {
  const body = spec.template.spec;
  const wrong = unusableTemplate(body.forProvider);
  if (wrong !== undefined) return wrong;
  const { source } = body.forProvider;
  if (!isBlank(source) && !moduleSources.some((it) => it === source)) {
    return text`forProvider.source is none of ${moduleSources.join(", ")}`;
  }
  const bad = badPlaceholder(body);
  if (bad !== undefined) return text`${bad} has a placeholder that is none: write \${name}`;
  const reached = [...namespacesOf(body), ...fallback(spec)].find(
    ({ namespace }) => !isBlank(namespace) && namespace !== metadata.namespace && !allowed.includes(namespace),
  );
  if (reached === undefined) return undefined;
  return text`${reached.at} is in namespace ${reached.namespace}, which is not allowed`;
}

/** What it is, only an apply can tell. */
const isBlank = (value: string): boolean => value.includes("${");

const fallback = ({ writeConnectionSecretToRef }: WorkspaceTemplate["spec"]): readonly Reach[] =>
  writeConnectionSecretToRef === undefined
    ? []
    : [{ at: "spec.writeConnectionSecretToRef", namespace: writeConnectionSecretToRef.namespace }];

/** The field with one. A module may hold any text: what is not ours there is Terraform's. */
function badPlaceholder(body: WorkspaceTemplate["spec"]["template"]["spec"]): string | undefined {
  const { module: _code, ...others } = body.forProvider;
  return firstBad({ ...body, forProvider: others }, "");
}

function firstBad(value: unknown, at: string): string | undefined {
  if (typeof value === "string") return hasBadPlaceholder(value) ? at : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : `${at === "" ? "" : "."}${name}`;
    const found = firstBad(member, `${at}${step}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
