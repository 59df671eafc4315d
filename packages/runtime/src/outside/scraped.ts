// What is read at each scrape rather than told: queues and caches as they are.
import type { Ms } from "@telltale/kinds";
import { Gauge, type Registry } from "prom-client";
import type { CacheGauge, Gauges, QueueGauge } from "../samples.ts";
import { perKind } from "./caches.ts";

export function gaugesIn(register: Registry, gauges: Gauges): void {
  const registers = [register];

  const byController = (name: string, help: string, value: (queue: QueueGauge) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["controller"],
      registers,
      collect() {
        this.reset();
        for (const queue of gauges.queues()) this.set({ controller: queue.controller }, value(queue));
      },
    });

  const byQueue = (name: string, help: string, value: (queue: QueueGauge) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["name", "controller"],
      registers,
      collect() {
        this.reset();
        for (const queue of gauges.queues()) {
          this.set({ name: queue.controller, controller: queue.controller }, value(queue));
        }
      },
    });

  const byKind = (name: string, help: string, value: (caches: readonly CacheGauge[]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["group", "kind"],
      registers,
      collect() {
        this.reset();
        for (const [{ group, kind }, caches] of perKind(gauges.caches())) this.set({ group, kind }, value(caches));
      },
    });

  byController("controller_runtime_max_concurrent_reconciles", "Passes that may run at a time", (q) => q.workers);
  byController("controller_runtime_active_workers", "Passes that run now", (q) => q.running);
  byController("telltale_queue_delayed", "Keys that wait for their time", (q) => q.delayed);
  byQueue("workqueue_depth", "Keys that wait for a worker", (q) => q.waiting);
  byQueue("workqueue_unfinished_work_seconds", "Time of the running passes, summed up", (q) => seconds(q.unfinished));
  byQueue("workqueue_longest_running_processor_seconds", "Time of the longest running pass", (q) => seconds(q.longest));
  byKind("telltale_cache_objects", "Objects in the cache", (all) => all.reduce((sum, it) => sum + it.objects, 0));
  byKind("telltale_cache_synced", "1 when the first list is in, of every namespace", (all) =>
    all.every((it) => it.synced) ? 1 : 0,
  );
  byKind("telltale_cache_silent_seconds", "Since the server was last heard of", (all) =>
    seconds(Math.max(...all.map((it) => it.silent))),
  );
  byKind("telltale_cache_resource_version", "The version up to which the cache is complete", (all) =>
    Math.min(...all.map((it) => versionOf(it.resourceVersion))),
  );
}

const seconds = (ms: Ms): number => Math.max(0, ms) / 1000;

/** Versions are numbers on every server in use; where one is not, there is nothing to compare. */
const versionOf = (version: string): number => (/^\d+$/.test(version) ? Number(version) : 0);
