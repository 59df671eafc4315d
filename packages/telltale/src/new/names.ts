// What a new operator and its parts are called. Pure.
import { isDnsLabel } from "@telltale/kinds";
import { misused } from "../program/problem.ts";

export interface Names {
  /** `web-shop` */
  readonly name: string;
  /** `WebShop` */
  readonly kind: string;
  /** `webShop` */
  readonly value: string;
  /** `webshops` */
  readonly plural: string;
  readonly group: string;
}

export function namesFor(name: string, group: string): Names {
  if (!isDnsLabel(name) || !/^[a-z]/.test(name) || name.length > 40) {
    throw misused(
      `an operator cannot be called ${JSON.stringify(name)}`,
      "use lower-case letters, digits and dashes, as in web-shop",
    );
  }
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group)) {
    throw misused(`${group} is no API group`, "use a domain that is yours, as in shop.example.com");
  }
  const kind = name
    .split("-")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join("");
  return {
    name,
    kind,
    value: `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`,
    plural: pluralOf(kind.toLowerCase()),
    group,
  };
}

/** As `defineKind` has it where nobody says otherwise. */
const pluralOf = (word: string): string =>
  /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
