// Several sinks as one. An operator that has to keep metrics of its own names gives a second sink, beside `prometheus`'s.
import type { Sink } from "../samples.ts";

/** Each sink gets each sample. One that throws harms neither the others nor the pass that told: `onThrow` hears of it. */
export function toAll(sinks: readonly Sink[], onThrow: (error: unknown) => void): Sink {
  return (sample) => {
    for (const sink of sinks) {
      try {
        sink(sample);
      } catch (error) {
        onThrow(error);
      }
    }
  };
}
