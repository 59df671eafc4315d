// Settings of the Bindcar container: what a person may add to it, and what is the operator's alone (12.2).
import { text } from "@telltale/status";
import type { Bind9InstanceSpec } from "../kinds/bind9-instance.ts";
import { type ImageRules, imageProblems } from "./images.ts";
import { each, type Problem, twice, unless } from "./problem.ts";

type Bindcar = NonNullable<Bind9InstanceSpec["bindcarConfig"]>;
type Variable = NonNullable<Bindcar["envVars"]>[number];

/** Variables of the container that the operator sets, or that would undo what it sets. */
export const operatorVariables = [
  "BIND_ZONE_DIR",
  "BIND_API_ADDRESS",
  "API_PORT",
  "RUST_LOG",
  "LOG_LEVEL",
  "BIND_ALLOWED_SERVICE_ACCOUNTS",
  "BIND_ALLOWED_NAMESPACES",
  "BIND_TOKEN_AUDIENCES",
  "DISABLE_AUTH",
  "BIND_API_TOKEN",
  "KUBERNETES_SERVICE_HOST",
  "KUBERNETES_SERVICE_PORT",
  "PATH",
  "TMPDIR",
  "RNDC_SERVER",
  "RNDC_KEY_FILE",
  "RNDC_KEY_NAME",
  "RNDC_SECRET",
  "RNDC_ALGORITHM",
  "NSUPDATE_SERVER",
  "NSUPDATE_PORT",
  "NSUPDATE_KEY_NAME",
  "NSUPDATE_SECRET",
  "NSUPDATE_ALGORITHM",
] as const;

export function* bindcarProblems(path: string, bindcar: Bindcar | undefined, rules: ImageRules): Iterable<Problem> {
  if (bindcar === undefined) return;
  yield* imageProblems(`${path}.image`, bindcar.image, rules);
  yield* each(`${path}.envVars`, bindcar.envVars, variableProblems);
  const names = (bindcar.envVars ?? []).map(({ name }) => name);
  yield* twice(`${path}.envVars`, names, "variable");
}

function* variableProblems({ name, valueFrom }: Variable, path: string): Iterable<Problem> {
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,252}$/.test(name);
  yield* unless(isName, `${path}.name`, text`is not a name of letters, digits and '_'`);
  const isFree = !operatorVariables.some((own) => own === name.toUpperCase());
  yield* unless(isFree, `${path}.name`, text`is set by the operator`);
  // As for volumes: whoever may make an instance must not read every Secret of the namespace through it.
  for (const source of ["secretKeyRef", "configMapKeyRef"] as const) {
    const from = valueFrom?.[source]?.name ?? "bindy-";
    yield* unless(from.startsWith("bindy-"), `${path}.valueFrom.${source}.name`, text`does not begin with bindy-`);
  }
}
