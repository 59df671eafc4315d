// Whether a provider can run as it is asked for (3.2, notes and reconcile step 2). Pure.
import { Provider, type ProviderSpec } from "../kinds/index.ts";
import { durationProblems } from "./durations.ts";
import { type Problem, unless } from "./problem.ts";

export function providerProblems({ metadata, spec }: Pick<Provider, "metadata" | "spec">): readonly Problem[] {
  const { runtime, credentialSecretRef }: Partial<ProviderSpec> = spec;
  const { namespace = "" } = credentialSecretRef ?? {};
  return [
    ...unless(
      (runtime?.image ?? "") !== "",
      "spec.runtime.image",
      undefined,
      "is missing",
      "image is required for remote runtime",
    ),
    ...unless(
      namespace === "" || namespace === metadata.namespace,
      "spec.credentialSecretRef.namespace",
      namespace,
      "is not the namespace of the Provider",
      "put the Secret beside the Provider: a pod can mount no other",
    ),
    ...durationProblems(Provider, spec),
  ];
}
