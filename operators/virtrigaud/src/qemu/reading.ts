// Reads the JSON inside messages. A key is found as it is written, else whatever its case, as the Go providers do; a value that is
// not what it should be is refused with the name of the field.
import { RpcError } from "../contract/rpc-error.ts";

export class Fields {
  readonly #what: string;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(what: string, value: object) {
    this.#what = what;
    const entries = Object.entries(value);
    this.#values = new Map([...entries.map(([key, v]) => [key.toLowerCase(), v] as const), ...entries]);
  }

  #get(name: string): unknown {
    const value = this.#values.get(name) ?? this.#values.get(name.toLowerCase());
    return value === null ? undefined : value;
  }

  refuse(name: string, why: string): RpcError {
    return new RpcError("INVALID_ARGUMENT", `${this.#what}.${name} ${why}`);
  }

  /** Undefined where it is missing, null or empty. */
  text(name: string, limit = 4096): string | undefined {
    const value = this.#get(name);
    if (value === undefined || value === "") return undefined;
    if (typeof value !== "string") throw this.refuse(name, "must be a string");
    if (value.length > limit) throw this.refuse(name, `must have at most ${limit} characters`);
    if (value.includes("\0")) throw this.refuse(name, "must not contain NUL");
    return value;
  }

  /** Undefined where it is missing, null or zero. */
  int(name: string, least: number, most: number): number | undefined {
    const value = this.#get(name);
    if (value === undefined || value === 0) return undefined;
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
      throw this.refuse(name, `must be a whole number from ${least} to ${most}`);
    return value;
  }

  flag(name: string, otherwise = false): boolean {
    const value = this.#get(name);
    if (value === undefined) return otherwise;
    if (typeof value !== "boolean") throw this.refuse(name, "must be true or false");
    return value;
  }

  object(name: string): Fields | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw this.refuse(name, "must be an object");
    return new Fields(`${this.#what}.${name}`, value);
  }

  list(name: string, most: number): readonly Fields[] {
    return listOf(`${this.#what}.${name}`, this.#get(name), most);
  }

  /** A list of strings, or one string with commas. */
  texts(name: string, most: number): readonly string[] {
    const value = this.#get(name);
    if (value === undefined || value === "") return [];
    const list = typeof value === "string" ? value.split(",").map((one) => one.trim()) : value;
    if (!Array.isArray(list) || list.length > most)
      throw this.refuse(name, `must be a list of at most ${most} strings`);
    return list.map((one: unknown) => {
      if (typeof one !== "string" || one.length > 1024) throw this.refuse(name, "must be a list of short strings");
      return one;
    });
  }

  /** Strings by name. */
  map(name: string, most: number): Readonly<Record<string, string>> {
    const value = this.#get(name);
    if (value === undefined) return {};
    if (typeof value !== "object" || value === null) throw this.refuse(name, "must be an object of strings");
    const entries = Object.entries(value);
    if (entries.length > most) throw this.refuse(name, `must have at most ${most} members`);
    return Object.fromEntries(
      entries.map(([key, v]: [string, unknown]) => {
        if (typeof v !== "string") throw this.refuse(name, "must be an object of strings");
        return [key, v];
      }),
    );
  }
}

/** An object in JSON; an empty text is an empty object. */
export function objectIn(what: string, json: string): Fields {
  const value = parse(what, json);
  if (value === undefined || value === null) return new Fields(what, {});
  if (typeof value !== "object" || Array.isArray(value))
    throw new RpcError("INVALID_ARGUMENT", `${what} must be an object`);
  return new Fields(what, value);
}

/** A list of objects in JSON; an empty text or null is an empty list. */
export function listIn(what: string, json: string, most: number): readonly Fields[] {
  return listOf(what, parse(what, json), most);
}

function listOf(what: string, value: unknown, most: number): readonly Fields[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > most)
    throw new RpcError("INVALID_ARGUMENT", `${what} must be a list of at most ${most} objects`);
  return value.map((one: unknown, at) => {
    if (typeof one !== "object" || one === null || Array.isArray(one))
      throw new RpcError("INVALID_ARGUMENT", `${what}[${at}] must be an object`);
    return new Fields(`${what}[${at}]`, one);
  });
}

function parse(what: string, json: string): unknown {
  if (json === "") return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    // What was wrong with it would quote it, and it can hold secrets.
    throw new RpcError("INVALID_ARGUMENT", `${what} is not JSON`);
  }
}
