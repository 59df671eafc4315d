import type { Exception } from "./exception.ts";

export const locust: readonly Exception[] = [];
