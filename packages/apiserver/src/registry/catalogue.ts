// Everything that is served, by group, version and resource. Built-ins are there from the start; custom resources come and
// go with their definitions.
import { compareApiVersions } from "@telltale/kinds";
import type { Resource } from "./resource.ts";

export class Catalogue {
  readonly #builtin = new Map<string, Resource>();
  #custom = new Map<string, Resource>();
  readonly #groups: string[] = [];
  #changes = 0;

  constructor(builtins: readonly Resource[], groupOrder: readonly string[]) {
    for (const r of builtins) this.#builtin.set(id(r.group, r.version, r.resource), r);
    this.#groups.push(...groupOrder);
  }

  /** Counts how often what is served has changed. */
  get changes(): number {
    return this.#changes;
  }

  find(group: string, version: string, resource: string): Resource | undefined {
    const key = id(group, version, resource);
    return this.#builtin.get(key) ?? this.#custom.get(key);
  }

  /** The resource of a kind: for owner references and the like. */
  ofKind(group: string, version: string, kind: string): Resource | undefined {
    return this.all().find((r) => r.group === group && r.version === version && r.kind === kind);
  }

  replaceCustom(resources: readonly Resource[]): void {
    this.#custom = new Map(resources.map((r) => [id(r.group, r.version, r.resource), r]));
    this.#changes += 1;
  }

  all(): Resource[] {
    return [...this.#builtin.values(), ...this.#custom.values()];
  }

  serves(group: string, version?: string): boolean {
    return this.all().some((r) => r.group === group && (version === undefined || r.version === version));
  }

  isBuiltinGroup(group: string): boolean {
    return this.#groups.includes(group);
  }

  /** Groups in discovery order: built-in ones as Kubernetes orders them, then the others by name. */
  groups(): string[] {
    const custom = new Set([...this.#custom.values()].map((r) => r.group).filter((g) => !this.#groups.includes(g)));
    return [...this.#groups.filter((g) => this.serves(g)), ...[...custom].sort()];
  }

  /** Versions of a group, the preferred one first. */
  versions(group: string): string[] {
    const found = new Set(
      this.all()
        .filter((r) => r.group === group)
        .map((r) => r.version),
    );
    return [...found].sort((a, b) => compareApiVersions(b, a));
  }

  /** Resources of one version, by name. */
  resources(group: string, version: string): Resource[] {
    const found = this.all().filter((r) => r.group === group && r.version === version);
    return found.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }
}

const id = (group: string, version: string, resource: string): string => `${group}/${version}/${resource}`;
