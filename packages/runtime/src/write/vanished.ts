// What a 404 means to whoever wrote.
import { ApiError, isNotFound } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";

/** Whether the server says that this very object is not there. A kind or a subresource that is missing says nothing of it. */
export function isVanished(error: unknown, { metadata }: KubeObject): boolean {
  return error instanceof ApiError && isNotFound(error) && error.details.name === metadata?.name;
}
