// What went wrong, in the words of whoever refused it: for Events and conditions, where the path of the request says nothing.
import { ApiError } from "@telltale/client";

export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.status.message || `the server answered ${error.code}`;
  return error instanceof Error ? error.message : String(error);
}
