// Reads JSON of a known shape. What has another shape is refused with 422 and the path of what is wrong; what is in a text is
// somebody else's question.
import { Refused } from "./refused.ts";

export type Shape<T> = (value: unknown, at: string) => T;

export const text: Shape<string> = (value, at) => (typeof value === "string" ? value : wrong(at, "a string"));

export const whole: Shape<number> = (value, at) =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : wrong(at, "a whole number");

export const flag: Shape<boolean> = (value, at) => (typeof value === "boolean" ? value : wrong(at, "true or false"));

/** Null is as good as nothing. */
export const maybe =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined || value === null ? undefined : shape(value, at);

export const list =
  <T>(shape: Shape<T>): Shape<readonly T[]> =>
  (value, at) =>
    Array.isArray(value) ? value.map((it, i) => shape(it, `${at}[${i}]`)) : wrong(at, "a list");

export const table =
  <T>(shape: Shape<T>): Shape<readonly (readonly [string, T])[]> =>
  (value, at) =>
    isObject(value) ? Object.entries(value).map(([key, it]) => [key, shape(it, at)]) : wrong(at, "an object");

/** Fields that nobody knows are left alone, as JSON allows. */
export function fields<S extends Readonly<Record<string, Shape<unknown>>>>(
  shapes: S,
): Shape<{ readonly [K in keyof S]: ReturnType<S[K]> }> {
  return (value, at) => {
    if (!isObject(value)) return wrong(at, "an object");
    const read = Object.entries(shapes).map(([name, shape]) => {
      const own = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, shape(own, at === "" ? name : `${at}.${name}`)];
    });
    return Object.fromEntries(read) as { readonly [K in keyof S]: ReturnType<S[K]> };
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function wrong(at: string, expected: string): never {
  throw new Refused(422, `${at === "" ? "the body" : at} has to be ${expected}`);
}
