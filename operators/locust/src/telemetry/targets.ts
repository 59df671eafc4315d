// Whom the poller may ask, by the uid of a test. Each pass says it anew; nobody else does.
import type { Name, Source } from "@telltale/runtime";
import type { LocustTest } from "../kinds/locust-test.ts";
import type { Reach, Target } from "./target.ts";

export class Targets {
  readonly #known = new Map<string, Target | undefined>();
  #wake: (name: Name) => void = () => {};

  /** The pass of a test says how its master is reached now. */
  set(test: LocustTest, reach: Reach): void {
    const { uid = "", namespace, name = "" } = test.metadata;
    const target = reach.at === "address" || reach.at === "proxy" ? reach : undefined;
    if (target === undefined) {
      if (this.#known.has(uid)) this.#known.set(uid, undefined);
      return;
    }
    const isNew = !this.#known.has(uid);
    this.#known.set(uid, target);
    // The poller looks whom to follow when a pass begins: this one began too early.
    if (isNew) this.#wake(namespace === undefined ? { name } : { namespace, name });
  }

  /** A test that is over, or gone. */
  forget({ metadata }: LocustTest): void {
    this.#known.delete(metadata.uid ?? "");
  }

  /** Whether there has been a master to ask. What it said last is still wanted when it has ended. */
  isFollowed(uid: string | undefined): boolean {
    return this.#known.has(uid ?? "");
  }

  of(uid: string | undefined): Target | undefined {
    return this.#known.get(uid ?? "");
  }

  /** For the controller to hear. */
  readonly source: Source = (wake) => {
    this.#wake = wake;
    return () => {
      this.#wake = () => {};
    };
  };
}
