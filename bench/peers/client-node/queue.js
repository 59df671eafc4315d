// A queue that holds each key once, runs a key never twice at a time, and tries again later and later what failed.

export class Queue {
  #waiting = new Set();
  #running = new Set();
  #again = new Set();
  #failures = new Map();
  #workers;
  #after;
  #run;

  constructor(workers, after, run) {
    this.#workers = workers;
    this.#after = after;
    this.#run = run;
  }

  add(key) {
    if (this.#running.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#fill();
  }

  #fill() {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#workers) return;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#work(key);
    }
  }

  async #work(key) {
    try {
      await this.#run(key);
      this.#failures.delete(key);
    } catch (error) {
      const failed = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failed);
      console.error(`${key}: ${error.code ?? ""} ${error.message}`);
      setTimeout(() => this.add(key), Math.min(5 * 2 ** failed, 1_000_000));
    }
    this.#after();
    this.#running.delete(key);
    if (this.#again.delete(key)) this.#waiting.add(key);
    this.#fill();
  }
}
