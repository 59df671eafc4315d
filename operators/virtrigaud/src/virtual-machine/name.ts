// What a machine is called on the hypervisor.
import { type SafeText, text } from "@telltale/status";
import { annotations } from "../names.ts";

interface Named {
  readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

export const nameOn = ({ metadata }: Named): string => {
  const given = metadata.annotations?.[annotations.vmName] ?? "";
  return given === "" ? (metadata.name ?? "") : given;
};

/** That a machine of its name on the provider is not known to be its own. */
export const anothers = (vm: Named, id: string): SafeText =>
  text`The provider has a machine named ${nameOn(vm)}, ${id}, and nothing shows that it is this one`;
