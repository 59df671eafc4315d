// Runs a case against a server: sets it up, takes its steps, cleans up. What comes back is not yet normalised.
import { type Random, systemRandom } from "@telltale/clock";
import type { Json, JsonObject } from "../../src/json.ts";
import type { Case, Step } from "./case.ts";
import { crd, crdName, crdPath, establishedPaths } from "./crd.ts";
import { find } from "./json.ts";
import { type Body, type HeaderLists, readAll, readBody, type Target } from "./target.ts";
import { expand, headers, payload, type Variables } from "./variables.ts";
import { openWatch, type Watch } from "./watch.ts";
import { startWebhook, type Webhook } from "./webhook.ts";

type Result =
  | ResponseResult
  | EventsResult
  | { readonly kind: "parallel"; readonly step: string; readonly parts: readonly Part[]; readonly unordered: boolean };

export type Part = ResponseResult | EventsResult;

export interface ResponseResult {
  readonly kind: "response";
  readonly step: string;
  readonly spec: Step;
  readonly status: number;
  readonly headers: HeaderLists;
  readonly body: Body;
  readonly bytes: Buffer;
  readonly elapsed: number;
  readonly relations: readonly (readonly [string, boolean | "undefined"])[];
}

export interface EventsResult {
  readonly kind: "events";
  readonly step: string;
  readonly spec: Step;
  readonly events: readonly Json[];
  readonly ended: boolean;
  readonly elapsed: number;
}

export interface Run {
  readonly variables: Readonly<Variables>;
  readonly results: readonly Result[];
}

export async function runCase(target: Target, it: Case, random: Random = systemRandom): Promise<Run> {
  const run = new CaseRun(target, it, random);
  try {
    await run.prepare();
    return { variables: run.variables, results: await run.steps() };
  } finally {
    await run.cleanUp();
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz";

class CaseRun {
  readonly variables: Variables;
  readonly #target: Target;
  readonly #case: Case;
  readonly #watches = new Map<string, Watch>();
  readonly #cleanup: string[] = [];
  #webhook: Webhook | undefined;

  constructor(target: Target, it: Case, random: Random) {
    const suffix = Array.from({ length: 5 }, () => letters[Math.floor(random.next() * 26)]).join("");
    const uniq = `${it.id.toLowerCase()}-${suffix}`;
    const names = { uniq, ns: `diff-${uniq}`, group: `g${uniq}.example.com`, revgroup: `com.example.g${uniq}` };
    this.#target = target;
    this.#case = it;
    this.variables = { ...names, id: it.id, ...it.vars };
  }

  async prepare(): Promise<void> {
    const { webhook, namespace, crd: fragments = [], cleanup = [] } = this.#case;
    if (webhook !== undefined) {
      this.#webhook = await startWebhook(webhook);
      Object.assign(this.variables, { webhook: this.#webhook.url, ca: this.#webhook.ca });
    }
    if (namespace !== false) {
      const home = `/api/v1/namespaces/${this.variables["ns"]}`;
      await this.#ask("POST", "/api/v1/namespaces", { metadata: { name: this.variables["ns"] ?? "" } });
      await this.#ask("POST", `${home}/serviceaccounts`, { metadata: { name: "default" } });
      this.#cleanup.push(home);
    }
    const all = Array.isArray(fragments) ? fragments : [fragments as JsonObject];
    for (const fragment of all) await this.#install(crd(fragment, this.variables));
    for (const path of cleanup) this.#cleanup.push(expand(path, this.variables));
  }

  async steps(): Promise<Result[]> {
    const results: Result[] = [];
    for (const step of this.#case.steps) {
      for (let i = 0; i < (step.repeat ?? 1); i++) {
        this.variables["i"] = String(i);
        const result = await this.#take(step, this.variables);
        const kept = step.record !== false && (i === 0 || step.record === "all");
        if (result !== undefined && kept) results.push(result);
      }
    }
    return results;
  }

  async cleanUp(): Promise<void> {
    for (const watch of this.#watches.values()) watch.close();
    for (const path of this.#cleanup.reverse()) await this.#ask("DELETE", path);
    this.#webhook?.close();
  }

  async #take(given: Step, variables: Variables): Promise<Result | undefined> {
    const step = withVariables(given, variables);
    switch (step.do) {
      case "SLEEP":
        await this.#target.pass(step.ms ?? 0);
        return undefined;
      case "WAIT":
        await this.#wait(step, variables);
        return undefined;
      case "CRD":
        await this.#replace(crd(step.crd ?? {}, variables), step.wait !== false);
        return undefined;
      case "COMPACT":
        await this.#target.compact();
        return undefined;
      case "BEHAVE":
        if (typeof step.as === "object") this.#webhook?.behave(step.name ?? "", step.as);
        return undefined;
      case "REVIEWS": {
        const json = this.#webhook?.take() ?? [];
        const body: Body = { as: "json", json };
        return response("REVIEWS", { ...step, compare: step.compare ?? ["body"] }, { body });
      }
      case "COLLECT":
        return this.#collect(step, variables);
      case "PARALLEL": {
        const all = await Promise.all((step.steps ?? []).map((s) => this.#take(s, { ...variables })));
        const parts = all.filter((part): part is Part => part !== undefined && part.kind !== "parallel");
        return { kind: "parallel", step: `PARALLEL ×${all.length}`, parts, unordered: step.unordered !== false };
      }
      default:
        return step.watch === undefined ? this.#send(step, variables) : this.#open(step, variables);
    }
  }

  async #send(step: Step, variables: Variables): Promise<ResponseResult> {
    const sent = payload(step, variables);
    const begin = this.#target.clock.now();
    const { status, headers: got, bytes } = await this.#request(step, step.do, variables, sent);
    const elapsed = this.#target.clock.now() - begin;
    const body = readBody(bytes, got);
    save(step, variables, { status, headers: got, body });
    if (step.record === false && step.must !== "any" && (status < 200 || status > 299)) {
      throw new Error(`unrecorded step ${label(step)} answered ${status}: ${bytes.toString().slice(0, 400)}`);
    }
    const relations = (step.relations ?? []).map(([left, sign, right]) => {
      const value = (term: string) =>
        term.startsWith("/") ? find(json(body), term) : term === "elapsed" ? elapsed : expand(term, variables);
      return [`${left} ${sign} ${right}`, holds(value(left), sign, value(right))] as const;
    });
    return response(label(step), step, { status, headers: got, body, bytes, elapsed, relations });
  }

  async #open(step: Step, variables: Variables): Promise<ResponseResult> {
    const request = {
      method: step.do,
      path: expand(step.path ?? "", variables),
      headers: headers(step, this.#target.token, variables, undefined),
    };
    const watch = await openWatch(this.#target, request, step);
    this.#watches.set(typeof step.as === "string" ? step.as : "w", watch);
    return response(label(step), step, { status: watch.status, headers: watch.headers, body: watch.body });
  }

  async #collect(step: Step, variables: Variables): Promise<EventsResult> {
    const name = typeof step.watch === "string" ? step.watch : "w";
    const watch = this.#watches.get(name);
    if (watch === undefined) throw new Error(`no watch ${name}`);
    const collected = await watch.collect(step);
    save(step, variables, { status: 200, headers: {}, body: { as: "json", json: collected.events } });
    if (step.keep !== true) watch.close();
    return { kind: "events", step: `COLLECT ${name}`, spec: step, ...collected };
  }

  async #wait(step: Step, variables: Variables): Promise<void> {
    const { clock } = this.#target;
    const begin = clock.now();
    for (;;) {
      const sent = payload(step, variables);
      const { status, headers: got, bytes } = await this.#request(step, step.method ?? "GET", variables, sent);
      const body = readBody(bytes, got);
      const until = Object.entries(step.until ?? { status: 200 });
      if (
        until.every(([where, what]) =>
          fulfilled(where === "status" ? status : find(json(body), expand(where, variables)), what, variables),
        )
      ) {
        save(step, variables, { status, headers: got, body });
        return;
      }
      if (clock.now() - begin > (step.timeout_ms ?? 20_000)) {
        throw new Error(`WAIT ${step.path} timed out, last ${status} ${bytes.toString().slice(0, 300)}`);
      }
      await this.#target.pass(50);
    }
  }

  async #install(object: JsonObject, wait = true): Promise<void> {
    const { status, bytes } = await this.#ask("POST", crdPath, object);
    if (status !== 201) throw new Error(`CRD refused: ${status} ${bytes.toString().slice(0, 600)}`);
    this.#cleanup.push(`${crdPath}/${crdName(object)}`);
    if (wait) await this.#served(crdName(object));
  }

  async #replace(object: JsonObject, wait: boolean): Promise<void> {
    const path = `${crdPath}/${crdName(object)}`;
    const old = await this.#ask("GET", path);
    if (old.status !== 200) return this.#install(object, wait);
    const resourceVersion = find(json(readBody(old.bytes, old.headers)), "/metadata/resourceVersion") ?? "";
    const metadata = { name: crdName(object), resourceVersion };
    const { status, bytes } = await this.#ask("PUT", path, { ...object, metadata });
    if (status !== 200) throw new Error(`CRD refused: ${status} ${bytes.toString().slice(0, 600)}`);
    if (wait) await this.#served(crdName(object));
  }

  /** Until the CRD is established, and each version is discovered and lists. */
  async #served(name: string): Promise<void> {
    const { clock } = this.#target;
    const begin = clock.now();
    while (clock.now() - begin < 20_000) {
      const { bytes, headers: got } = await this.#ask("GET", `${crdPath}/${name}`);
      const paths = establishedPaths(json(readBody(bytes, got)));
      let ready = paths !== undefined;
      for (const { discovery, list, plural } of paths ?? []) {
        const found = await this.#ask("GET", discovery);
        const listed = await this.#ask("GET", list);
        ready &&= found.status === 200 && found.bytes.includes(`"${plural}"`) && listed.status === 200;
      }
      if (ready) return;
      await this.#target.pass(50);
    }
    throw new Error(`CRD ${name} is not served in time`);
  }

  #ask(method: string, path: string, body?: JsonObject) {
    const step: Step = { do: method, path, ...(body === undefined ? {} : { body }) };
    return this.#request(step, method, {}, payload(step, {}));
  }

  async #request(step: Step, method: string, variables: Variables, sent: Buffer | undefined) {
    const answer = await this.#target.request({
      method,
      path: expand(step.path ?? "", variables),
      headers: headers(step, this.#target.token, variables, sent),
      ...(sent === undefined ? {} : { body: sent }),
    });
    return { status: answer.status, headers: answer.headers, bytes: await readAll(answer) };
  }
}

const response = (step: string, spec: Step, got: Partial<ResponseResult>): ResponseResult => ({
  kind: "response",
  step,
  spec,
  status: 0,
  headers: {},
  body: { as: "none" },
  bytes: Buffer.alloc(0),
  elapsed: 0,
  relations: [],
  ...got,
});

function withVariables(step: Step, variables: Variables): Step {
  const lists = (["compare", "compare_also", "drop", "pick"] as const).flatMap((name) => {
    const list = step[name];
    return list === undefined ? [] : [[name, list.map((item) => expand(item, variables))]];
  });
  return { ...step, ...(Object.fromEntries(lists) as Pick<Step, "compare">) };
}

const label = ({ do: verb, path = "", title = "" }: Step): string =>
  title === "" ? `${verb} ${path}`.trim() : `${verb} ${path} # ${title}`;

const json = (body: Body): Json | undefined => (body.as === "json" ? body.json : undefined);

function save(step: Step, variables: Variables, got: Pick<ResponseResult, "status" | "headers" | "body">): void {
  for (const [name, from] of Object.entries(step.save ?? {})) {
    const value = from.startsWith("header:")
      ? got.headers[from.slice("header:".length)]?.[0]
      : from === "text" && got.body.as === "text"
        ? got.body.text
        : find(json(got.body), from);
    if (value !== undefined) variables[name] = typeof value === "string" ? value : JSON.stringify(value);
    else if (step.save_optional !== true) {
      throw new Error(
        `${label(step)}: nothing at ${from} (status ${got.status}) ${JSON.stringify(got.body).slice(0, 300)}`,
      );
    }
  }
}

function fulfilled(got: Json | undefined, wanted: Json, variables: Variables): boolean {
  if (wanted !== null && typeof wanted === "object" && !Array.isArray(wanted)) {
    if ("absent" in wanted) return (got === undefined) === wanted["absent"];
    if ("contains" in wanted)
      return JSON.stringify(got ?? null).includes(expand(String(wanted["contains"]), variables));
  }
  return JSON.stringify(got) === JSON.stringify(typeof wanted === "string" ? expand(wanted, variables) : wanted);
}

/** Numbers compare as numbers, everything else as text. */
function holds(left: Json | undefined, sign: string, right: Json | undefined): boolean | "undefined" {
  if (left === undefined || right === undefined) return "undefined";
  const numeric = [left, right].every((value) => /^\d+$/.test(String(value)));
  const [a, b] = numeric ? [BigInt(String(left)), BigInt(String(right))] : [String(left), String(right)];
  switch (sign) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    default:
      return "undefined";
  }
}
