// Spans around what a pass does, where somebody passes a tracer.
import type { Attributes, Tracer } from "@opentelemetry/api";

/** Runs within a span of its own. `tell` adds what came of it. Without a tracer it only runs. */
export function traced<T>(
  tracer: Tracer | undefined,
  name: string,
  attributes: Attributes,
  run: () => Promise<T>,
  tell: (result: T) => Attributes,
): Promise<T> {
  if (tracer === undefined) return run();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      const result = await run();
      span.setAttributes(tell(result));
      return result;
    } catch (error) {
      span.recordException(error instanceof Error ? error : String(error));
      throw error;
    } finally {
      span.end();
    }
  });
}
