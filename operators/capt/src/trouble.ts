// A request that failed, as it is told to people: what was asked for, and the answer, never a name or a body (11.1).
import { ApiError, ConnectionError, isConflict, isNotFound, TimeoutError } from "@telltale/client";
import type { Ms } from "@telltale/kinds";
import type { Log } from "@telltale/runtime";
import { Failed, type SafeText, text } from "@telltale/status";

export interface Trouble {
  readonly verb: Verb;
  readonly resource: string;
  readonly message: SafeText;
  /** How long the server asks to be left alone. */
  readonly retryAfter?: Ms;
}

export type Verb = "get" | "list" | "create" | "patch" | "delete";

/** Carries a trouble out of the middle of a pass. */
export class Troubled extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble, cause: unknown) {
    super(trouble.message, { cause });
    this.name = "Troubled";
    this.trouble = trouble;
  }
}

/** Does one thing with the server. What fails and may work later is a `Troubled`; a conflict and all else stay what they are. */
export async function asking<R>(verb: Verb, resource: string, ask: () => Promise<R>): Promise<R> {
  try {
    return await ask();
  } catch (error) {
    const trouble = troubleOf(verb, resource, error);
    throw trouble === undefined ? error : new Troubled(trouble, error);
  }
}

/** The outcome of some steps, or the trouble that ended them. It is logged: it is an error, and tried again. */
export async function untroubled<R>(log: Log, steps: () => Promise<R>): Promise<R | Trouble> {
  try {
    return await steps();
  } catch (error) {
    if (!(error instanceof Troubled)) throw error;
    log.warn("a request failed", { verb: error.trouble.verb, resource: error.trouble.resource, err: error.cause });
    return error.trouble;
  }
}

/** The same for steps that have no status to tell it in: they are tried again, later and later. `tell` hears of it, and of its end. */
export async function quietly<R>(
  log: Log,
  steps: () => Promise<R>,
  tell: (trouble: Trouble | undefined) => void = () => {},
): Promise<R> {
  const found = await untroubled(log, async () => ({ done: await steps() }));
  tell(isTrouble(found) ? found : undefined);
  if (!isTrouble(found)) return found.done;
  const { message, retryAfter } = found;
  throw new Failed({
    class: "throttled",
    reason: "RequestFailed",
    message,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

export const isTrouble = (it: object): it is Trouble => "verb" in it && "resource" in it;

function troubleOf(verb: Verb, resource: string, error: unknown): Trouble | undefined {
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return { verb, resource, message: text`${verb} ${resource} failed: no answer` };
  }
  if (!(error instanceof ApiError) || isConflict(error) || isNotFound(error)) return undefined;
  const message =
    error.code === 403
      ? text`missing permission: ${verb} ${resource}`
      : text`${verb} ${resource} failed: HTTP ${error.code}`;
  return { verb, resource, message, ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }) };
}
