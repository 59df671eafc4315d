// How much of a parent's children fits into its status (5.4). Pure.
import { type SafeText, showing, text } from "@telltale/status";

/** Conditions of children that are written at most, the lowest slots first. */
export const shownChildren = 256;

/** The message says so where not all children are shown. */
export function shown<S extends { readonly message: SafeText }>(said: S, children: number): S {
  return children <= shownChildren
    ? said
    : { ...said, message: text`${said.message}${showing(shownChildren, children)}` };
}
