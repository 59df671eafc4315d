// The gate that most operators have: an annotation by which a person holds an object as it is.
import type { KindRef, Resource } from "@telltale/kinds";
import type { Gate, StatusStep } from "./steps.ts";

export interface PauseOptions<K extends KindRef> {
  /** Only this value pauses. Default: that the annotation is there. */
  readonly value?: string;
  /** Whether an object that is being deleted is held as well. Default: `go`, it is cleaned up. */
  readonly deleting?: "hold" | "go";
  /** What is said of it meanwhile, such as a condition `Paused`. Default: nothing is written. */
  readonly say?: StatusStep<K, Resource<K>>;
}

/** `.gate(pausedBy("example.com/paused"))` */
export function pausedBy<K extends KindRef>(
  annotation: string,
  options: PauseOptions<K> = {},
): (object: Resource<K>) => Gate<K> {
  const { value, deleting = "go", say } = options;
  return ({ metadata }) => {
    const found = metadata?.annotations?.[annotation];
    const isPaused = value === undefined ? found !== undefined : found === value;
    if (!isPaused || (deleting === "go" && metadata?.deletionTimestamp !== undefined)) return "go";
    return say === undefined ? "ignore" : { only: say };
  };
}
