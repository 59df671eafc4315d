// Reads settings of an operator from environment variables or flags, strictly, and remembers everything that is wrong with them.
// An empty one is one that is not set. An error names the setting, its value and what to write instead.
import { compareQuantity, isDnsLabel, isDnsSubdomain, type Ms, parseGoDuration, parseQuantity } from "@telltale/kinds";
import { usage } from "@telltale/kinds/usage";

export type Env = Readonly<Record<string, string | undefined>>;

export class Settings {
  readonly errors: string[] = [];
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** What was read, or everything that is wrong with it. */
  result<C>(operator: string, config: C): { readonly config: C } | { readonly errors: readonly string[] } {
    return this.errors.length > 0 ? { errors: this.errors } : { config: usage().settings(operator, config) };
  }

  /** The value as it is written, or undefined when it is empty or not set. */
  text(name: string): string | undefined {
    return this.#env[name] || undefined;
  }

  flag(name: string, standard: boolean): boolean {
    const text = this.text(name);
    if (text === undefined) return standard;
    if (text !== "true" && text !== "false") this.refuse(name, text, "is no boolean", "set it to true or false");
    return text === "true";
  }

  integer(name: string, standard: number, range?: Range): number;
  integer(name: string, standard?: undefined, range?: Range): number | undefined;
  integer(name: string, standard?: number, { least = 0, most = int32 }: Range = {}): number | undefined {
    const text = this.text(name);
    if (text === undefined) return standard;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.refuse(name, text, "is not accepted", `set it to a whole number from ${least} to ${most}`);
    return standard ?? least;
  }

  choice<const T extends string>(name: string, choices: readonly T[], standard: T): T {
    const text = this.text(name);
    if (text === undefined) return standard;
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) this.refuse(name, text, "is not accepted", `set it to one of ${choices.join(", ")}`);
    return chosen ?? standard;
  }

  /** Several of a closed set, separated by commas. */
  choices<const T extends string>(name: string, choices: readonly T[], standard: readonly T[]): readonly T[] {
    const text = this.text(name);
    if (text === undefined) return standard;
    const given = [...new Set(text.split(",").map((part) => part.trim()))];
    const known = choices.filter((choice) => given.includes(choice));
    if (known.length === given.length) return known;
    this.refuse(name, text, "is not accepted", `set it to one or more of ${choices.join(", ")}`);
    return standard;
  }

  /** A length of time as Go writes it. `zero` says what 0 is for; without it 0 is not accepted. */
  duration(name: string, standard: Ms, zero?: string): Ms {
    const text = this.text(name);
    if (text === undefined) return standard;
    const ms = parseGoDuration(text);
    if (ms !== undefined && (ms > 0 || (ms === 0 && zero !== undefined))) return ms;
    const more = zero === undefined ? "" : `, or to 0 ${zero}`;
    this.refuse(name, text, "is no length of time", `set it to one as in 30s or 15m${more}`);
    return standard;
  }

  subdomain(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isDnsSubdomain(text)) return text;
    this.refuse(
      name,
      text,
      "is no DNS-1123 subdomain",
      "use lower case letters, digits, '-' and '.', as in kata or kata.v2",
    );
    return undefined;
  }

  /** Names of namespaces, separated by commas. Undefined means all. */
  namespaces(name: string): readonly string[] | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const all = [...new Set(text.split(",").map((part) => part.trim()))];
    if (all.every(isDnsLabel)) return all;
    this.refuse(
      name,
      text,
      "is no list of namespaces",
      "write their names with commas between them, as in perf,staging",
    );
    return undefined;
  }

  /** The first of these variables that is set, else the standard value. `none` leaves a limit out. */
  quantity(names: readonly string[], standard: string, kind: "request" | "limit"): Amount | undefined {
    for (const name of names) {
      const text = this.text(name);
      if (text === undefined) continue;
      if (text === "none" && kind === "limit") return undefined;
      const parsed = parseQuantity(text);
      if (parsed !== undefined && parsed.nano >= 0n) return { name, text };
      const none = kind === "limit" ? ", or to none for no limit" : "";
      this.refuse(name, text, "is no quantity", `set it to an amount as in 250m, 128Mi or 1${none}`);
      return undefined;
    }
    return { name: names.at(-1) ?? "", text: standard };
  }

  /** The API server refuses a pod that asks for more than its limit: say so at the start, not for each test. */
  order(request: Amount | undefined, limit: Amount | undefined): void {
    const [asked, most] = [request, limit].map((amount) => amount && parseQuantity(amount.text));
    if (!request || !limit || !asked || !most || compareQuantity(asked, most) <= 0) return;
    const fix = `lower ${request.name}, or raise ${limit.name}`;
    this.refuse(request.name, request.text, `is more than ${limit.name} ${JSON.stringify(limit.text)}`, fix);
  }

  /** A variable that must stay unset. Its value is a secret and is not shown. */
  forbid(name: string, fix: string): void {
    if (this.text(name) !== undefined) this.#refuseOnce(`${name} (value not shown) is not accepted: ${fix}`);
  }

  /** Says what is wrong with a setting that nothing here can judge. */
  refuse(name: string, value: string, problem: string, fix: string): void {
    this.#refuseOnce(`${name} ${JSON.stringify(value)} ${problem}: ${fix}`);
  }

  /** Two roles may read the same variable; one error about it is enough. */
  #refuseOnce(error: string): void {
    if (!this.errors.includes(error)) this.errors.push(error);
  }
}

/** A quantity and the variable that it comes from. */
export interface Amount {
  readonly name: string;
  readonly text: string;
}

export interface Range {
  readonly least?: number;
  readonly most?: number;
}

const int32 = 2 ** 31 - 1;
