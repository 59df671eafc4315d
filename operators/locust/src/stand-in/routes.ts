// The web API of a master: what each path answers, and what it does. `GET /stop` and `GET /stats/reset` have effects, as Locust has
// it; whoever only wants to look must stay away from them.
import type { Clock } from "@telltale/clock";
import { formatTime, type Instant, type Ms } from "@telltale/kinds";
import { parseTimespan } from "../telemetry/options.ts";
import type { Fault } from "./faults.ts";
import type { Runner } from "./runner.ts";
import { statsAnswer } from "./stats-answer.ts";

export interface Asked {
  readonly method: string;
  /** From the root of the server, with the query. */
  readonly path: string;
  /** Form data. */
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebOptions {
  readonly basePath: string;
  /** Everything but the login page asks for a login. */
  readonly login: boolean;
}

const cacheFor: Ms = 2_000;

export class Web {
  readonly #runner: Runner;
  readonly #clock: Clock;
  readonly #options: WebOptions;
  #cached: { readonly text: string; readonly at: Instant } | undefined;
  #answers = 0;

  constructor(runner: Runner, clock: Clock, options: WebOptions) {
    this.#runner = runner;
    this.#clock = clock;
    this.#options = options;
  }

  answer({ method, path, body = "" }: Asked, faults: readonly Fault[] = []): Reply {
    const { basePath, login } = this.#options;
    const [plain = ""] = path.split("?");
    const route = plain.startsWith(basePath) ? plain.slice(basePath.length) || "/" : undefined;
    const found = route === undefined ? undefined : this.#routes[route];
    if (found === undefined) return page(404, "Not Found");
    if (found.method !== method && !(found.method === "GET" && method === "HEAD"))
      return page(405, "Method Not Allowed");
    if (login && route !== "/login") return redirect(`${basePath}/login?next=${encodeURIComponent(plain)}`);
    const reply = found.answer(new URLSearchParams(body), faults);
    return method === "HEAD" ? { ...reply, body: "" } : reply;
  }

  readonly #routes: Readonly<Record<string, Route>> = {
    "/stats/requests": get((_form, faults) => ({ ...json({}), body: this.#stats(faults) })),
    "/worker-count": get(() => json({ worker_count: this.#runner.workerCount })),
    "/swarm": { method: "POST", answer: (form) => json(this.#swarm(form)) },
    "/stop": get(() => {
      this.#runner.stop();
      return json({ success: true, message: "Test stopped" });
    }),
    "/stats/reset": get(() => {
      this.#runner.look();
      this.#runner.load.reset();
      this.#runner.outcome({ exceptions: 0 });
      return { ...page(200, ""), body: "ok" };
    }),
    "/stats/report": get(() => page(200, "Locust Test Report")),
    "/stats/requests/csv": get(() => csv(this.#requestRows())),
    "/stats/failures/csv": get(() => csv(this.#failureRows())),
    "/exceptions/csv": get(() => csv([["Count", "Message", "Traceback", "Nodes"]])),
    "/stats/requests_full_history/csv": get(() =>
      page(404, "Error: Server was not started with option to generate full history."),
    ),
    "/exceptions": get(() => json({ exceptions: this.#exceptions() })),
    "/tasks": get(() => json({ per_class: tasks, total: tasks })),
    "/logs": get(() => json({ master: [], workers: {} })),
    "/user": { method: "POST", answer: () => ({ ...json({}), status: 201 }) },
    "/login": get(() => (this.#options.login ? page(200, "Locust") : redirect(`${this.#options.basePath}/`))),
    "/": get(() => page(200, "Locust", `<script>window.templateArgs = ${JSON.stringify(this.#template())}</script>`)),
  };

  #stats(faults: readonly Fault[]): string {
    const now = this.#clock.now();
    const isFresh = this.#cached !== undefined && now - this.#cached.at < cacheFor && now >= this.#cached.at;
    if (isFresh && faults.length === 0) return this.#cached?.text ?? "";
    this.#answers += 1;
    const text = statsAnswer(this.#runner, now, faults, this.#answers);
    this.#cached = faults.length === 0 ? { text, at: now } : undefined;
    return text;
  }

  #swarm(form: URLSearchParams): object {
    const no = (message: string) => ({ success: false, message, host: "" });
    const [users, rate] = [form.get("user_count"), form.get("spawn_rate")];
    const span = form.get("run_time") || undefined;
    const seconds = span === undefined ? undefined : parseTimespan(span);
    if (span !== undefined && seconds === undefined) {
      return no("Valid run_time formats are : 20, 20s, 3m, 2h, 1h20m, 3h30m10s, etc.");
    }
    if (users === null || !Number.isInteger(Number(users)) || !(Number(rate) > 0)) {
      return no("Missing user_count or spawn_rate from /swarm request");
    }
    this.#runner.start(Number(users), Number(rate));
    if (seconds) this.#runner.stopIn(seconds * 1000);
    return { success: true, message: "Swarming started", host: "", ...(seconds && { run_time: seconds }) };
  }

  #exceptions(): readonly object[] {
    const { exceptions, workers } = this.#runner;
    const nodes = workers.map(({ id }) => id).join(", ");
    return exceptions === 0 ? [] : [{ count: exceptions, msg: "an error in user code", traceback: "", nodes }];
  }

  #requestRows(): readonly (readonly (string | number)[])[] {
    this.#runner.look();
    const { load } = this.#runner;
    const head = ["Type", "Name", "Request Count", "Failure Count", "Average Response Time"];
    const rows = [...load.rows.values(), load.total];
    return [
      head,
      ...rows.map((row) => [row.method, row.name, row.requests, row.failures, row.time / (row.requests || 1)]),
    ];
  }

  #failureRows(): readonly (readonly (string | number)[])[] {
    const head = ["Method", "Name", "Error", "Occurrences", "First Seen", "Last Seen"];
    const rows = [...this.#runner.load.failures.values()];
    return [
      head,
      ...rows.map((it) => [
        it.method,
        it.name,
        it.error,
        it.occurrences,
        formatTime(it.firstSeen),
        formatTime(it.lastSeen),
      ]),
    ];
  }

  #template(): object {
    const { state, users, workerCount } = this.#runner;
    return { is_distributed: true, state, user_count: users, worker_count: workerCount };
  }
}

interface Route {
  readonly method: "GET" | "POST";
  readonly answer: (form: URLSearchParams, faults: readonly Fault[]) => Reply;
}

const get = (answer: Route["answer"]): Route => ({ method: "GET", answer });

const tasks = { Shopper: { ratio: 1, tasks: { item: { ratio: 1 } } } };

const open = { "access-control-allow-origin": "*" };

const json = (body: object): Reply => ({
  status: 200,
  headers: { ...open, "content-type": "application/json" },
  body: `${JSON.stringify(body, undefined, 2)}\n`,
});

export const page = (status: number, title: string, body = ""): Reply => ({
  status,
  headers: { ...open, "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html>\n<html lang=en>\n<title>${title}</title>\n<h1>${title}</h1>\n${body}\n`,
});

const redirect = (location: string): Reply => {
  const to = page(302, "Redirecting...");
  return { ...to, headers: { ...to.headers, location } };
};

const csv = (rows: readonly (readonly (string | number)[])[]): Reply => ({
  status: 200,
  headers: { ...open, "content-type": "text/csv" },
  body: rows.map((row) => `${row.join(",")}\n`).join(""),
});
