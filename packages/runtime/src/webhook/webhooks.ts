// Webhooks as a table of handlers, and one function that answers for all of them: `(path, body) => answer`. Sockets are
// `server.ts`'s business; a server in this process needs none.
import type { Clock } from "@telltale/clock";
import { DeclarationError, type Kind, type KindRef, type KubeObject } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import { type Log, silentLog } from "../log.ts";
import type { Sink } from "../samples.ts";
import { admit } from "./admission.ts";
import { type Answer, refusal } from "./answer.ts";
import { convertAll } from "./conversion.ts";
import {
  defaultName,
  defaultPath,
  type Hook,
  type HookOptions,
  type Hooks,
  type Mutate,
  type MutateOptions,
  type Validate,
} from "./hooks.ts";
import type { JsonObject } from "./json.ts";
import type { Operation } from "./request.ts";
import { type Body, readBody } from "./review.ts";
import { type StatusRulesOptions, statusRules } from "./status-rules.ts";

export interface WebhooksOptions {
  readonly clock: Clock;
  readonly log?: Log;
  readonly sink?: Sink;
}

export interface Webhooks extends Hooks {
  /** Allows or denies what is about to be stored. */
  validate<T extends KubeObject, const O extends Operation = "CREATE" | "UPDATE">(
    kind: KindRef<T>,
    ask: Validate<NoInfer<T>, NoInfer<O>>,
    options?: HookOptions<O>,
  ): Webhooks;
  /** Changes what is about to be stored. The JSON Patch is made here. */
  mutate<T extends KubeObject, const O extends "CREATE" | "UPDATE" = "CREATE" | "UPDATE">(
    kind: KindRef<T>,
    ask: Mutate<NoInfer<T>, NoInfer<O>>,
    options?: MutateOptions<O>,
  ): Webhooks;
  /** Converts between the versions that the kind declares. */
  convert(kind: Kind, options?: { readonly path?: string }): Webhooks;
  /** Refuses status updates that break a rule of status. */
  statusRules(kind: Kind, options?: StatusRulesOptions & Omit<HookOptions<"UPDATE">, "operations">): Webhooks;
  /** Answers one request, whatever it is. Never throws. */
  handle(path: string, body: string | Uint8Array): Promise<Answer>;
  /** An answer to what never became a request: too large, too slow. Counted like any other. */
  refuse(path: string, code: number, message: string): Answer;
  /** For an embedded server's `webhookResolver`: the function behind a path. It throws what is no answer to a review. */
  local(path: string): ((review: object) => Promise<JsonObject>) | undefined;
}

export function webhooks({ clock, log = silentLog, sink = () => {} }: WebhooksOptions): Webhooks {
  const admission: Hook[] = [];
  const conversion: { kind: Kind; path: string }[] = [];

  const add = (hook: Hook) => {
    free(hook.kind, hook.path);
    checkName(hook, admission);
    admission.push(hook);
    return it;
  };
  const free = (kind: KindRef, path: string) => {
    if (!/^\/[^\s?#]+$/.test(path)) {
      throw new DeclarationError(kind.kind, "path", `"${path}" is no path`, "begin it with a slash");
    }
    const other =
      admission.find((hook) => hook.path === path)?.kind ?? conversion.find((one) => one.path === path)?.kind;
    if (other !== undefined) {
      throw new DeclarationError(kind.kind, "path", `${path} is taken by ${other.kind}`, "give another `path`");
    }
  };

  const answer = async (path: string, body: Body): Promise<Answer> => {
    const hook = admission.find((one) => one.path === path);
    if (hook !== undefined) return admit(hook, body, log);
    return convertAll(
      conversion.filter((one) => one.path === path).map(({ kind }) => kind),
      body,
      log,
    );
  };
  const paths = () => [...new Set([...admission, ...conversion].map(({ path }) => path))];

  const measured = async (path: string, work: () => Promise<Answer>): Promise<Answer> => {
    const began = clock.uptime();
    const known = paths().includes(path);
    let made: Answer;
    try {
      made = known ? await work() : refusal(404, `no webhook is at ${path}; there are ${paths().join(", ") || "none"}`);
    } catch (error) {
      const why = sanitize(error, { max: 512, firstLineOnly: true });
      log.error("a webhook could not be answered", { path, error: why });
      made = refusal(500, `${path} failed: ${why}; the operator's log has more`);
    }
    // A path that a stranger made up does not become a label.
    sink({ is: "webhook", path: known ? path : "", code: made.code, took: clock.uptime() - began });
    return made;
  };

  const it: Webhooks = {
    admission,
    conversion,
    validate: (kind, ask, options = {}) =>
      // What the handler takes was inferred from the kind; the table forgets it.
      add({
        is: "validate",
        ...declared("validate", kind, "", options),
        ask: ask as unknown as Validate<KubeObject, Operation>,
      }),
    mutate: (kind, ask, options = {}) =>
      add({
        is: "mutate",
        ...declared("mutate", kind, "", options),
        ask: ask as unknown as Mutate<KubeObject, "CREATE" | "UPDATE">,
      }),
    convert(kind, { path = "/convert" } = {}) {
      if (kind.versions.length === 0) {
        throw new DeclarationError(
          kind.kind,
          "versions",
          "there is one only",
          "declare others, or leave `convert` out",
        );
      }
      if (!conversion.some((one) => one.path === path)) free(kind, path); // one path may convert several kinds
      conversion.push({ kind, path });
      return it;
    },
    statusRules(kind, { writer, known, ...options } = {}) {
      const rules = statusRules(kind, clock, {
        ...(writer === undefined ? {} : { writer }),
        ...(known === undefined ? {} : { known }),
      });
      const row = declared("validate", kind, "status", { ...options, operations: ["UPDATE"] });
      return add({ is: "validate", ...row, ask: rules as Validate<KubeObject, Operation> });
    },
    handle: (path, body) => measured(path, () => answer(path, readBody(body))),
    refuse(path, code, message) {
      const made = refusal(code, message);
      sink({ is: "webhook", path: paths().includes(path) ? path : "", code, took: 0 });
      return made;
    },
    local(path) {
      if (!paths().includes(path)) return undefined;
      return async (review) => {
        const { status, body } = await measured(path, () => answer(path, { at: "json", value: review }));
        if (status !== 200) throw new Error(String(body["message"]));
        return body;
      };
    },
  };
  return it;
}

function declared(is: Hook["is"], kind: KindRef, subresource: string, options: HookOptions<Operation>) {
  const operations: readonly Operation[] = options.operations ?? ["CREATE", "UPDATE"];
  return {
    kind,
    path: options.path ?? defaultPath(is, kind, subresource),
    name: options.name ?? defaultName(is, kind, subresource),
    operations,
    subresource,
    options: options as MutateOptions<"CREATE" | "UPDATE">,
  };
}

function checkName({ is, kind, name }: Hook, others: readonly Hook[]): void {
  if (name.split(".").length < 3) {
    throw new DeclarationError(
      kind.kind,
      "name",
      `"${name}" has fewer than three parts`,
      "use a name like check.example.com",
    );
  }
  if (others.some((other) => other.is === is && other.name === name)) {
    throw new DeclarationError(kind.kind, "name", `"${name}" is taken`, "give another `name`");
  }
}
