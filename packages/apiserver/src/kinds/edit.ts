// Ways to fill in a private copy of an object: what defaults are written with. `null` and absent are the same here.
import { clone, isObject, type Json, type JsonObject } from "../json.ts";

/** A function that fills in its argument, made one that leaves it alone and returns the filled copy. */
export function filled(fill: (object: JsonObject) => void): (object: JsonObject) => JsonObject {
  return (object) => {
    const copy = clone(object);
    fill(copy);
    return copy;
  };
}

/** Sets a member that is absent. */
export function fill(object: JsonObject, name: string, value: Json): void {
  const here = object[name];
  if (here === undefined || here === null) object[name] = value;
}

/** Sets a member that is absent or zero: for fields where the server cannot tell one from the other. */
export function fillZero(object: JsonObject, name: string, value: Json): void {
  const here = object[name];
  if (here === undefined || here === null || here === "" || here === 0) object[name] = value;
}

/** The object at a member, put there when it is absent. */
export function child(object: JsonObject, name: string): JsonObject {
  const here = object[name];
  if (isObject(here)) return here;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}

/** The object at a member, if there is one. */
export function given(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const here = object === undefined || !Object.hasOwn(object, name) ? undefined : object[name];
  return isObject(here) ? here : undefined;
}

/** The objects in a list; anything else in it is passed over. */
export function each(object: JsonObject | undefined, name: string): JsonObject[] {
  return list(object, name).filter(isObject);
}

export function list(object: JsonObject | undefined, name: string): Json[] {
  const here = object === undefined || !Object.hasOwn(object, name) ? undefined : object[name];
  return Array.isArray(here) ? here : [];
}

/** The texts of a map such as labels; undefined when there is none or it is empty. */
export function texts(object: JsonObject | undefined, name: string): Record<string, string> | undefined {
  const here = given(object, name);
  if (here === undefined || Object.keys(here).length === 0) return undefined;
  return Object.fromEntries(Object.entries(here).filter((e): e is [string, string] => typeof e[1] === "string"));
}

export function number(object: JsonObject | undefined, name: string): number | undefined {
  const here = object === undefined || !Object.hasOwn(object, name) ? undefined : object[name];
  if (typeof here === "bigint") return Number(here);
  return typeof here === "number" ? here : undefined;
}
