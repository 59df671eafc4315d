// Type parameters and what they stand for while one expression is checked.
import * as t from "./types.ts";

export class Unifier {
  #bound = new Map<string, t.Type>();
  #count = 0;

  fresh(): t.Type {
    return { kind: "param", name: `_${this.#count++}` };
  }

  /** The result type when a function with these parameters takes these arguments; undefined when it does not. */
  apply(params: readonly t.Type[], given: readonly t.Type[], result: t.Type): t.Type | undefined {
    const before = new Map(this.#bound);
    const names = new Map<string, t.Type>();
    const fits = params.every((param, i) => {
      const type = given[i];
      return type !== undefined && this.accept(this.#renamed(param, names), type);
    });
    if (fits) return this.#renamed(result, names);
    this.#bound = before;
    return undefined;
  }

  /** Whether a value of type `given` may stand where `wanted` is; binds parameters. */
  accept(wanted: t.Type, given: t.Type): boolean {
    const a = this.resolve(wanted);
    const b = this.resolve(given);
    if (a.kind === "param") return this.#bind(a, b);
    if (b.kind === "param") return this.#bind(b, a);
    if (any(a) || any(b)) {
      if (wanted.kind === "param" && any(b)) this.#bound.set(this.#root(wanted).name, t.dyn);
      return true;
    }
    if (a.kind === "null" || b.kind === "null") return a.kind === b.kind || nullable(a.kind === "null" ? b : a);
    switch (a.kind) {
      case "list":
        return b.kind === "list" && this.accept(a.of, b.of);
      case "map":
        return b.kind === "map" && this.accept(a.key, b.key) && this.accept(a.value, b.value);
      case "object":
        return b.kind === "object" && a.name === b.name;
      case "opaque":
        return (
          b.kind === "opaque" &&
          a.name === b.name &&
          a.params.every((param, i) => this.accept(param, b.params[i] ?? t.dyn))
        );
      default:
        return a.kind === b.kind;
    }
  }

  /** The wider of two types of which one accepts the other. */
  general(a: t.Type, b: t.Type): t.Type {
    const [x, y] = [this.resolve(a), this.resolve(b)];
    if (y.kind === "dyn" || x.kind === "null" || x.kind === "param") return y;
    return x;
  }

  /** What a parameter stands for, as far as known. */
  resolve(type: t.Type): t.Type {
    let here = type;
    while (here.kind === "param") {
      const next = this.#bound.get(here.name);
      if (next === undefined) return here;
      here = next;
    }
    return here;
  }

  /** Without parameters: those that stand for nothing are dyn. */
  final(type: t.Type): t.Type {
    const here = this.resolve(type);
    switch (here.kind) {
      case "param":
        return t.dyn;
      case "list":
        return here.merge === undefined ? t.list(this.final(here.of)) : here;
      case "map":
        return t.map(this.final(here.key), this.final(here.value));
      case "opaque":
        return t.opaque(here.name, ...here.params.map((param) => this.final(param)));
      case "type":
        return { kind: "type", of: this.final(here.of) };
      default:
        return here;
    }
  }

  #bind(param: t.Type & { kind: "param" }, type: t.Type): boolean {
    if (type.kind === "param" && type.name === param.name) return true;
    if (this.#mentions(type, param.name)) return false;
    this.#bound.set(param.name, type);
    return true;
  }

  #root(param: t.Type & { kind: "param" }): t.Type & { kind: "param" } {
    let here = param;
    for (;;) {
      const next = this.#bound.get(here.name);
      if (next?.kind !== "param") return here;
      here = next;
    }
  }

  #mentions(type: t.Type, name: string): boolean {
    const here = this.resolve(type);
    switch (here.kind) {
      case "param":
        return here.name === name;
      case "list":
        return this.#mentions(here.of, name);
      case "map":
        return this.#mentions(here.key, name) || this.#mentions(here.value, name);
      case "opaque":
        return here.params.some((param) => this.#mentions(param, name));
      default:
        return false;
    }
  }

  #renamed(type: t.Type, names: Map<string, t.Type>): t.Type {
    switch (type.kind) {
      case "param": {
        const known = names.get(type.name) ?? this.fresh();
        names.set(type.name, known);
        return known;
      }
      case "list":
        return t.list(this.#renamed(type.of, names));
      case "map":
        return t.map(this.#renamed(type.key, names), this.#renamed(type.value, names));
      case "opaque":
        return type.params.length === 0
          ? type
          : t.opaque(type.name, ...type.params.map((p) => this.#renamed(p, names)));
      case "type":
        return { kind: "type", of: this.#renamed(type.of, names) };
      default:
        return type;
    }
  }
}

const any = (type: t.Type): boolean => type.kind === "dyn" || type.kind === "error";
const nullable = (type: t.Type): boolean =>
  type.kind === "object" || type.kind === "opaque" || type.kind === "timestamp" || type.kind === "duration";
