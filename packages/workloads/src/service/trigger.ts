// When what a Service's endpoints show came about, for whoever measures how long it takes until it is known. Pure.
import { type Instant, parseTime } from "@telltale/kinds";

const annotation = "endpoints.kubernetes.io/last-change-trigger-time";

export type Annotations = Readonly<Record<string, string>>;

/** The annotations with the earliest of these moments; without one where nobody knows. */
export function triggered(annotations: Annotations | undefined, moments: readonly (string | undefined)[]): Annotations {
  const { [annotation]: _, ...others } = annotations ?? {};
  const at = earliest(moments);
  return at === undefined ? others : { ...others, [annotation]: at };
}

function earliest(moments: readonly (string | undefined)[]): string | undefined {
  let first: { readonly text: string; readonly at: Instant } | undefined;
  for (const text of moments) {
    const at = parseTime(text);
    if (text !== undefined && at !== undefined && (first === undefined || at < first.at)) first = { text, at };
  }
  return first?.text;
}
