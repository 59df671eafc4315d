import type { Exception } from "./exception.ts";

export const capt: readonly Exception[] = [];
