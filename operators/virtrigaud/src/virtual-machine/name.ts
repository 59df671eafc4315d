// What a machine is called on the hypervisor.
import { annotations } from "../names.ts";

interface Named {
  readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

export const nameOn = ({ metadata }: Named): string => {
  const given = metadata.annotations?.[annotations.vmName] ?? "";
  return given === "" ? (metadata.name ?? "") : given;
};
