// Names for what differs from run to run: uids, versions, generated names, times, addresses.
import { at, isObject, type Json } from "../../src/json.ts";
import type { Case } from "./case.ts";
import type { Kept } from "./select.ts";
import { expand, type Variables } from "./variables.ts";

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const suffix = "[bcdfghjklmnpqrstvwxz2456789]{5}";
const version = /^[1-9]\d*$/;
const threeDays = 3 * 86_400_000;
const longest = 2500;

/** Where a text stands: versions are only looked for in messages and whole texts. */
export type Place = "key" | "header" | "message" | "text" | "other";

export class Symbols {
  readonly #said: string;
  readonly #variables: Readonly<Variables>;
  readonly #host: string;
  readonly #now: number;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #generated = new Map<string, string>();
  readonly #bases: readonly string[];
  readonly #versions: readonly bigint[];
  /** Numbers that the case has saved from answers. */
  readonly #saved: ReadonlySet<string>;

  constructor(it: Case, variables: Readonly<Variables>, kept: readonly Kept[], host: string, now: number) {
    this.#said = JSON.stringify(it);
    this.#variables = variables;
    this.#host = host;
    this.#now = now;
    const bases = [...this.#said.matchAll(/"generateName":"([^"]+)"/g)].map((m) =>
      expand(m[1] ?? "", variables).slice(0, 58),
    );
    this.#bases = [...new Set(bases)];
    const given = new Set(Object.values(it.vars ?? {}));
    const saved = Object.entries(variables).filter(
      ([name, value]) => name !== "i" && /^\d{1,19}$/.test(value) && !given.has(value),
    );
    this.#saved = new Set(saved.map(([, value]) => value));
    const versions = new Set<string>();
    for (const one of kept) this.#scan(one, versions);
    this.#versions = [...versions].map(BigInt).sort((a, b) => (a < b ? -1 : 1));
  }

  /** Whether the case itself says this. */
  says(text: string): boolean {
    return this.#said.includes(text);
  }

  /** The first value of a class is `<class1>`, the next other one `<class2>`. */
  symbol(kind: string, value: string | number): string {
    const key = `${kind}\0${value}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(key, `<${kind}${count}>`);
    return `<${kind}${count}>`;
  }

  has(kind: string, value: string): boolean {
    return this.#names.has(`${kind}\0${value}`);
  }

  /** An object's version by its rank; a list's by the last object version before it. */
  version(value: string, ofList: boolean): string {
    if (!version.test(value) || this.says(`"${value}"`)) return value;
    const number = BigInt(value);
    const rank = this.#versions.filter((v) => v <= number).length;
    return !ofList && this.#versions[rank - 1] === number ? `<rv${rank}>` : `<rv${rank}+>`;
  }

  text(given: string, place: Place): string {
    const { ns = "", group = "", uniq = "", webhook, ca = "" } = this.#variables;
    let text = given;
    for (const [name, symbol] of this.#generated) text = text.replaceAll(name, symbol);
    for (const base of this.#bases) {
      text = text.replace(new RegExp(`${base.replace(/[^\w-]/g, "\\$&")}${suffix}(?![\\w-])`, "g"), `${base}<gen5>`);
    }
    text = text.replace(/ in scheme (\\?)"[^"]*"/g, (_, slash: string) => ` in scheme ${slash}"<scheme>${slash}"`);
    text = text.replaceAll(ns, "{ns}").replaceAll(group, "{group}");
    text = text.replaceAll(group.split(".").reverse().join("."), "{revgroup}").replaceAll(uniq, "{uniq}");
    text = text.replace(wholeHost(this.#host), "<server>");
    if (webhook !== undefined) {
      text = text.replace(wholeHost(webhook.slice("https://".length)), "<webhook>").replaceAll(ca, "<ca>");
    }
    text = text.replace(uuids, (uid) => (this.says(uid) ? uid : this.symbol("uid", uid)));
    text = text.replace(times, (time, fraction: string | undefined, zone: string) => this.#time(time, fraction, zone));
    text = text
      .replace(/kube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<gen5>")
      .replace(/selfType\d+/g, "selfType<n>");
    text = this.#versionsIn(text, place);
    return text.length > longest ? `${text.slice(0, 200)}…<${text.length} characters>` : text;
  }

  #time(time: string, fraction: string | undefined, zone: string): string {
    if (this.says(time) || Math.abs(Date.parse(time) - this.#now) > threeDays) return time;
    const digits = fraction === undefined ? 0 : fraction.length - 1;
    if (zone !== "Z") return `<t:${digits}digits,zone>`;
    return fraction === undefined ? "<t>" : digits === 6 ? "<t:micro>" : `<t:${digits}digits>`;
  }

  #versionsIn(given: string, place: Place): string {
    const ranked = (n: string) => this.#versions.includes(BigInt(n));
    const text = given.replace(
      /([Rr]esource ?[Vv]ersion(?:\\?")?: ?(?:\\?")?)(\d+)/g,
      (all, before: string, n: string) => {
        if (n === "0") return all;
        return place === "text" && ranked(n) ? `${before}${this.version(n, false)}` : `${before}<n>`;
      },
    );
    if (place !== "message" && place !== "text") return text;
    return text
      .replace(
        /(current: |too old resource version: |\()(\d+)(\)?)/g,
        (all, before: string, n: string, after: string) => {
          const isVersion =
            before !== "(" || (after !== "" && (ranked(n) || this.#saved.has(n) || text.includes("too old")));
          return isVersion ? `${before}<n>${after}` : all;
        },
      )
      .replace(/(?<![\w.<-])\d{2,}(?![\w.>])/g, (n) => (ranked(n) || this.#saved.has(n) ? "<n>" : n));
  }

  /** Collects versions of objects, and names that were generated. */
  #scan(kept: Kept, versions: Set<string>): void {
    this.#scanText(kept.text, versions);
    for (const [pointer, value] of Object.entries(kept.pointers ?? {})) {
      if (pointer.endsWith("resourceVersion") && !kept.list) this.#scanVersion(value, versions);
      this.#scanValue(value, versions, false, "");
    }
    this.#scanValue(kept.body, versions, false, "");
    this.#scanValue(kept.events, versions, false, "");
  }

  #scanValue(value: Json | undefined, versions: Set<string>, bookmark: boolean, key: string): void {
    if (typeof value === "string" && key === "cells") this.#scanText(value, versions);
    if (Array.isArray(value)) for (const item of value) this.#scanValue(item, versions, bookmark, key);
    if (!isObject(value)) return;
    const marked = bookmark || value["type"] === "BOOKMARK" || value["/type"] === "BOOKMARK";
    if (!marked && "/type" in value) this.#scanVersion(value["resourceVersion"], versions);
    if (!marked && !isList(value)) {
      this.#scanVersion(at(value, "metadata", "resourceVersion"), versions);
      this.#scanName(at(value, "metadata", "generateName"), at(value, "metadata", "name"));
    }
    for (const [name, inner] of Object.entries(value)) this.#scanValue(inner, versions, marked, name);
  }

  #scanVersion(value: Json | undefined, versions: Set<string>): void {
    if (typeof value === "string" && version.test(value) && !this.says(`"${value}"`)) versions.add(value);
  }

  #scanText(text: string | undefined, versions: Set<string>): void {
    for (const match of (text ?? "").matchAll(/resourceVersion"?: ?"(\d+)"/g)) versions.add(match[1] ?? "");
  }

  #scanName(generateName: Json | undefined, name: Json | undefined): void {
    if (typeof generateName !== "string" || typeof name !== "string") return;
    const base = generateName.slice(0, 58);
    if (name.startsWith(base) && new RegExp(`^${suffix}$`).test(name.slice(base.length))) {
      this.#generated.set(name, `${base}<gen5>`);
    }
  }
}

/** Lists and Tables: their version is one of the whole server. */
export function isList(value: Json): boolean {
  if (Array.isArray(at(value, "items")) || Array.isArray(at(value, "rows"))) return true;
  const kind = at(value, "kind");
  return typeof kind === "string" && /List$|^Table$/.test(kind);
}

/** A host with its port; of a longer port it is only the beginning. */
const wholeHost = (host: string): RegExp => new RegExp(`${host.replace(/[^\w-]/g, "\\$&")}(?!\\d)`, "g");
