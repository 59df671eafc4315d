import type { Exception } from "./exception.ts";

export const virtrigaud: readonly Exception[] = [];
