// All operators. One line each: everything else asks this table, and loads what it needs.
import { nearest } from "../program/parse.ts";
import { misused } from "../program/problem.ts";
import type { Operator } from "./operator.ts";

export interface Listed {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Operator>;
}

export const operators: readonly Listed[] = [
  {
    name: "bindy",
    summary: "BIND9 DNS: servers, zones and records",
    load: async () => (await import("./bindy.ts")).bindy,
  },
  { name: "capt", summary: "Cluster API on Terraform", load: async () => (await import("./capt.ts")).capt },
  { name: "locust", summary: "load tests with Locust", load: async () => (await import("./locust.ts")).locust },
  {
    name: "virtrigaud",
    summary: "virtual machines on any hypervisor",
    load: async () => (await import("./virtrigaud.ts")).virtrigaud,
  },
];

/** Those that are named, with commas between them; all where nobody is. */
export function chosen(names: string | undefined): Promise<readonly Operator[]> {
  const wanted = names?.split(",").map((name) => name.trim());
  for (const name of wanted ?? []) {
    if (operators.some((it) => it.name === name)) continue;
    const all = operators.map((it) => it.name);
    const fix = `${nearest(name, all)}choose from ${all.join(", ")}`;
    throw misused(name === "" ? "an operator without a name" : `there is no operator ${name}`, fix);
  }
  return Promise.all(operators.filter(({ name }) => wanted?.includes(name) ?? true).map((it) => it.load()));
}
