// Whether a container has started and is ready, by its probes; and that it has to end, when they say so.
import type { Clock } from "@telltale/clock";
import type { PodEvent } from "../kubelet/pod-runtime.ts";
import type { Target } from "./probe.ts";
import { keepProbing, type ProbeKind } from "./prober.ts";
import type { Container, Probe } from "./spec.ts";

export interface HealthRequest {
  readonly container: Container;
  readonly target: Target;
  readonly clock: Clock;
  /** Aborts when the container has ended. */
  readonly life: AbortSignal;
  readonly event: (event: PodEvent) => void;
  readonly changed: () => void;
  /** The container has to end, and be restarted by its policy. */
  readonly fail: (probe: Probe, message: string) => void;
}

export class Health {
  isStarted = false;
  isReady = false;
  readonly #request: HealthRequest;
  readonly #since: number;
  /** Aborts when startup and liveness are of no more use. */
  readonly #vital = new AbortController();

  constructor(request: HealthRequest) {
    this.#request = request;
    this.#since = request.clock.uptime();
    request.life.addEventListener("abort", () => {
      this.isStarted = false;
      this.isReady = false;
      this.#vital.abort();
    });
  }

  /** The container runs: from now on it is looked at. */
  begin(): void {
    const { startupProbe } = this.#request.container;
    if (startupProbe === undefined) this.#start();
    else this.#probe("Startup", startupProbe);
  }

  /** The container is to end: whether it has started or lives plays no part any more, but whether it is ready does. */
  onlyReadiness(): void {
    this.#vital.abort();
  }

  #start(): void {
    const { livenessProbe, readinessProbe } = this.#request.container;
    this.isStarted = true;
    this.isReady = readinessProbe === undefined;
    if (readinessProbe !== undefined) this.#probe("Readiness", readinessProbe);
    if (livenessProbe !== undefined) this.#probe("Liveness", livenessProbe);
  }

  #probe(kind: ProbeKind, probe: Probe): void {
    const { target, clock, life, event, changed } = this.#request;
    void keepProbing({
      kind,
      probe,
      target,
      clock,
      since: this.#since,
      life: kind === "Readiness" ? life : this.#vital.signal,
      remark: (reason, message) => {
        event({ type: "Warning", reason, message });
        changed();
      },
      conclude: (result) => {
        if (kind === "Readiness") return this.#turn(result === "success");
        if (result === "success") return kind === "Startup" && this.#pass();
        const { name } = this.#request.container;
        this.#request.fail(probe, `Container ${name} failed ${kind.toLowerCase()} probe, will be restarted`);
        changed();
        return true;
      },
    });
  }

  #turn(isReady: boolean): false {
    if (this.isReady !== isReady) {
      this.isReady = isReady;
      this.#request.changed();
    }
    return false;
  }

  #pass(): true {
    this.#start();
    this.#request.changed();
    return true;
  }
}
