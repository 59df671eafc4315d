// The metrics of Bindcar (9.9), as Prometheus reads them. No label holds what somebody sent.
import type { Ms } from "@telltale/kinds";

export interface BindcarMetrics {
  request(it: { readonly method: string; readonly path: string; readonly status: number; readonly took: Ms }): void;
  operation(operation: string, result: "success" | "error"): void;
  rndc(command: string, result: "success" | "error", took: Ms): void;
  limited(result: "allowed" | "rejected"): void;
  /** `zones`: how many there are now. Undefined: they could not be counted. */
  text(zones: number | undefined): string;
  readonly contentType: string;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function bindcarMetrics(version: string): BindcarMetrics {
  const requests = new Counter("bindcar_http_requests_total", "Requests");
  const times = new Histogram("bindcar_http_request_duration_seconds", "Time of a request");
  const operations = new Counter("bindcar_zone_operations_total", "Changes of zones");
  const commands = new Counter("bindcar_rndc_commands_total", "Commands of rndc");
  const commandTimes = new Histogram("bindcar_rndc_command_duration_seconds", "Time of a command of rndc");
  const limits = new Counter("bindcar_rate_limit_requests_total", "Requests by whether there was a place for them");
  return {
    request({ method, path, status, took }) {
      const known = methods.includes(method) ? method : "other";
      requests.add({ method: known, path, status: String(status) });
      times.add({ method: known, path }, took / 1000);
    },
    operation: (operation, result) => operations.add({ operation, result }),
    rndc(command, result, took) {
      commands.add({ command, result });
      commandTimes.add({ command }, took / 1000);
    },
    limited: (result) => limits.add({ result }),
    text: (zones) =>
      [
        ...[requests, times, operations, commands, commandTimes, limits].flatMap((it) => it.lines()),
        ...head("bindcar_zones_managed", "Zones that have a file", "gauge"),
        ...(zones === undefined ? [] : [`bindcar_zones_managed ${zones}`]),
        ...head("bindcar_app_info", "The version", "gauge"),
        `bindcar_app_info{version="${version}"} 1`,
        "",
      ].join("\n"),
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

const methods: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

type Labels = Readonly<Record<string, string>>;

/** All of them are words of ours or numbers: nothing to escape. */
const written = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",");

const head = (name: string, help: string, type: string): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels): void {
    const key = written(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + 1);
  }

  lines(): readonly string[] {
    const values = [...this.#values].map(([labels, value]) => `${this.#name}{${labels}} ${value}`);
    return [...head(this.#name, this.#help, "counter"), ...values];
  }
}

class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, { readonly counts: number[]; sum: number; count: number }>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, seconds: number): void {
    const key = written(labels);
    const it = this.#values.get(key) ?? { counts: buckets.map(() => 0), sum: 0, count: 0 };
    this.#values.set(key, it);
    for (const [i, most] of buckets.entries()) if (seconds <= most) it.counts[i] = (it.counts[i] ?? 0) + 1;
    it.sum += Math.max(0, seconds);
    it.count += 1;
  }

  lines(): readonly string[] {
    const name = this.#name;
    const values = [...this.#values].flatMap(([labels, { counts, sum, count }]) => [
      ...buckets.map((most, i) => `${name}_bucket{${labels},le="${most}"} ${counts[i]}`),
      `${name}_bucket{${labels},le="+Inf"} ${count}`,
      `${name}_sum{${labels}} ${sum}`,
      `${name}_count{${labels}} ${count}`,
    ]);
    return [...head(name, this.#help, "histogram"), ...values];
  }
}
