// All functions that expressions may call.
import { collect } from "../function.ts";
import { arithmetic } from "./arithmetic.ts";
import { authorizer } from "./authorizer.ts";
import { formats } from "./formats.ts";
import { lists } from "./lists.ts";
import { net } from "./net.ts";
import { quantities, versions } from "./quantity.ts";
import { standard } from "./standard.ts";
import { strings } from "./strings.ts";
import { urls } from "./url.ts";

/** The authorizer's are always declared; only admission has the variable that they are called on. */
export const library = collect(
  arithmetic,
  standard,
  strings,
  lists,
  quantities,
  versions,
  urls,
  net,
  formats,
  authorizer,
);
