// How tests run for mutants: first each as it is, to see which places it comes by; then once for each mutant in such a place, and once
// more as it is. Where that last one fails, something was left behind, and what the test said of mutants does not count.
import { appendFileSync, readFileSync } from "node:fs";
import { TestRunner } from "vitest";
import { type Line, type Order, orderVariable, type Place, readLog } from "./log.ts";

type Test = Parameters<TestRunner["onAfterRetryTask"]>[0];
type Attempt = Parameters<TestRunner["onAfterRetryTask"]>[1];

const path = process.env[orderVariable];
const order: Order = path === undefined ? { log: "", do: "look" } : (JSON.parse(readFileSync(path, "utf8")) as Order);
const tell = (line: Line) => appendFileSync(order.log, `${JSON.stringify(line)}\n`);

let active = order.do === "stay" ? order.mutant : undefined;
/** More often than a hundred times as often as without the mutant: it does not end. */
let limit = order.do === "stay" ? 1_000_000 : 0;
let reached = new Map<number, number>();

const slot = Symbol.for("telltale.mutant");
const isOn = (index: number): boolean => {
  if (order.do === "look") reached.set(index, (reached.get(index) ?? 0) + 1);
  if (active !== index) return false;
  limit -= 1;
  if (limit < 0) throw new Error("with this mutant it does not end");
  return true;
};

export default class MutantRunner extends TestRunner {
  #todo: readonly Place[] = [];

  // What is put there any sooner is taken away again.
  override importFile(...[file, source]: Parameters<TestRunner["importFile"]>): unknown {
    (globalThis as { [slot]?: unknown })[slot] = isOn;
    return super.importFile(file, source);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    if (order.do === "look") this.#taken((places) => ({ is: "loaded", places }));
    if (order.do !== "try") return;
    const known = new Set(readLog(order.log).flatMap((it) => (it.is === "killed" ? it.mutant : [])));
    this.#todo = (order.places[test.id] ?? []).filter(([mutant]) => !known.has(mutant));
    test.repeats = this.#todo.length;
  }

  override onBeforeTryTask(test: Test, attempt: Attempt): void {
    super.onBeforeTryTask(test, attempt);
    const [mutant, times] = this.#todo[attempt.repeats] ?? [];
    if (mutant === undefined || times === undefined) return;
    tell({ is: "begun", mutant });
    active = mutant;
    limit = 10_000 + 100 * times;
  }

  override async onAfterRetryTask(test: Test, attempt: Attempt): Promise<void> {
    await super.onAfterRetryTask(test, attempt);
    const { result, id, name } = test;
    const isRed = (result?.state === "fail") !== (test.fails === true);
    if (order.do === "look")
      this.#taken((places) => ({
        is: "reached",
        test: id,
        took: Date.now() - (result?.startTime ?? Date.now()),
        places,
      }));
    if (isRed && active !== undefined) tell({ is: "killed", mutant: active, test: name });
    else if (isRed) tell(order.do === "look" ? { is: "red", test: name } : { is: "doubtful", test: name });
    if (order.do === "try") active = undefined;
    if (isRed && result !== undefined) {
      result.state = "pass";
      delete result.errors;
    }
  }

  #taken(line: (places: readonly Place[]) => Line): void {
    if (reached.size > 0) tell(line([...reached]));
    reached = new Map();
  }
}
