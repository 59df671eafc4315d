import type { Exception } from "./exception.ts";

export const bindy: readonly Exception[] = [];
