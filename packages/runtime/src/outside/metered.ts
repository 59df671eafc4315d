// An operator's own metrics in a registry, beside ours.
import { usage } from "@telltale/kinds/usage";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Families, Family, Meter } from "../meter.ts";

type Metric = Counter | Gauge | Histogram;

export function meterIn<N extends string>(register: Registry, families: Families<N>): Meter<N> {
  const metrics = new Map<string, Metric>();
  for (const [name, family] of Object.entries<Family>(families)) {
    usage().metric(name, "declared");
    metrics.set(name, metricOf(register, name, family));
  }
  return {
    tell(name, labels = {}, value = 1) {
      usage().metric(name, "sampled");
      const metric = metrics.get(name);
      if (metric instanceof Counter) metric.inc({ ...labels }, value);
      else if (metric instanceof Gauge) metric.set({ ...labels }, value);
      else metric?.observe({ ...labels }, value);
    },
  };
}

function metricOf(register: Registry, name: string, family: Family): Metric {
  const { help } = family;
  const base = { name, help, labelNames: [...family.labels], registers: [register] };
  switch (family.is) {
    case "counter":
      return new Counter(base);
    case "histogram":
      return new Histogram({ ...base, buckets: [...family.buckets] });
    case "gauge": {
      const { read } = family;
      if (read === undefined) return new Gauge(base);
      return new Gauge({
        ...base,
        collect() {
          this.reset();
          for (const [labels, value] of read()) {
            usage().metric(name, "sampled");
            this.set({ ...labels }, value);
          }
        },
      });
    }
    default:
      return family satisfies never;
  }
}
