// The process itself, under the names that `prom-client` gives these. Read at each scrape: no timers, no hooks.
import { Counter, Gauge, type Registry } from "prom-client";

/** A registry that has one of them already keeps its own. */
export function processIn(register: Registry): void {
  const registers = [register];
  const gauge = (name: string, help: string, value: () => number) => {
    if (register.getSingleMetric(name) !== undefined) return;
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  };

  if (register.getSingleMetric("process_cpu_seconds_total") === undefined) {
    new Counter({
      name: "process_cpu_seconds_total",
      help: "CPU time of this process",
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }
  gauge("process_resident_memory_bytes", "Memory of this process", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "Heap in use", () => process.memoryUsage().heapUsed);
  gauge("nodejs_heap_size_total_bytes", "Heap that is there", () => process.memoryUsage().heapTotal);

  let last = performance.eventLoopUtilization();
  gauge("nodejs_eventloop_utilization", "Share of time that the event loop was busy, since the last scrape", () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  });
}
