// The same operator on `@kubernetes/client-node`: its informer, and by hand what it does not have, a queue that holds each
// object once and runs ten of them at a time. It takes the flags of every operator of the bench.
import { parseArgs } from "node:util";
import { CustomObjectsApi, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { Queue } from "./queue.js";

const group = "bench.telltale.dev";
const version = "v1";
const largest = 1_000_000;

const { values: flags } = parseArgs({
  options: {
    mode: { type: "string", default: "widgets" },
    kubeconfig: { type: "string" },
    namespace: { type: "string" },
    workers: { type: "string", default: "10" },
    expect: { type: "string", default: "0" },
    write: { type: "string", default: "update" },
  },
});

let done = 0;
process.on("SIGUSR2", () => console.log(`count ${done}`));
process.on("SIGTERM", () => process.exit(0));

const config = new KubeConfig();
if (flags.kubeconfig === undefined) config.loadFromDefault();
else config.loadFromFile(flags.kubeconfig);
const api = config.makeApiClient(CustomObjectsApi);

if (flags.mode === "load") console.log("loaded");
else if (flags.mode === "shelves") await runShelves();
else await runWidgets();

async function runWidgets() {
  const widgets = informer("widgets");
  const queue = new Queue(Number(flags.workers), counting, async (key) => {
    const [namespace, name] = key.split("/");
    const widget = widgets.get(name, namespace);
    if (widget !== undefined) await write("widgets", widget, observed(widget));
  });
  onSpec(widgets, queue);
  await widgets.start();
}

async function runShelves() {
  const shelves = informer("shelves");
  const widgets = informer("widgets");
  const owned = new Map(); // the widgets of a shelf, by its key
  const queue = new Queue(Number(flags.workers), counting, async (key) => {
    const [namespace, name] = key.split("/");
    const shelf = shelves.get(name, namespace);
    if (shelf !== undefined) await write("shelves", shelf, summedUp(shelf, [...(owned.get(key)?.values() ?? [])]));
  });
  widgets.on("change", (widget) => {
    const owner = widget.metadata.ownerReferences?.find((reference) => reference.controller);
    if (owner?.kind !== "Shelf") return;
    const key = `${widget.metadata.namespace}/${owner.name}`;
    const children = owned.get(key) ?? new Map();
    if (widgets.get(widget.metadata.name, widget.metadata.namespace) === undefined)
      children.delete(widget.metadata.name);
    else children.set(widget.metadata.name, widget);
    owned.set(key, children);
    queue.add(key);
  });
  onSpec(shelves, queue);
  await widgets.start();
  await shelves.start();
}

function informer(plural) {
  const { namespace } = flags;
  const path =
    namespace === undefined
      ? `/apis/${group}/${version}/${plural}`
      : `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const list =
    namespace === undefined
      ? () => api.listCustomObjectForAllNamespaces({ group, version, resourcePlural: plural })
      : () => api.listNamespacedCustomObject({ group, version, namespace, plural });
  const made = makeInformer(config, path, list);
  // As its documentation says: after an error the informer stands still until it is started again.
  made.on("error", (error) => {
    console.error(`the informer of ${plural}: ${error}`);
    setTimeout(() => made.start(), 5_000);
  });
  return made;
}

/** A key is queued when its spec changed, as the other operators do it: a status alone is no reason. */
function onSpec(objects, queue) {
  const generations = new Map();
  objects.on("change", ({ metadata }) => {
    const key = `${metadata.namespace}/${metadata.name}`;
    if (objects.get(metadata.name, metadata.namespace) === undefined) generations.delete(key);
    else if (generations.get(key) === metadata.generation) return;
    else generations.set(key, metadata.generation);
    queue.add(key);
  });
}

function observed(widget) {
  const { size, parts = [] } = widget.spec;
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  return {
    observedGeneration: widget.metadata.generation,
    conditions: [
      condition(widget, "Ready", size <= largest, "Made", "Refused", `The widget of size ${size} is made`),
      condition(widget, "Accepted", true, "Valid", "Invalid", "The spec is valid"),
      condition(widget, "Sized", size <= largest, "Fits", "TooLarge", `Size ${size} of at most ${largest}`),
      condition(
        widget,
        "Stocked",
        parts.length > 0,
        "InStock",
        "NoParts",
        `${parts.length} parts weigh ${weight} together`,
      ),
      condition(widget, "Balanced", size % 2 === 0, "Even", "Odd", `Size ${size} leaves ${size % 2} over`),
    ],
  };
}

function summedUp(shelf, children) {
  const total = children.length;
  const ready = children.filter((child) =>
    child.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
  ).length;
  let said = ["NotReady", "No widgets are ready"];
  if (total === 0) said = ["NoChildren", "No widgets found for this shelf"];
  else if (ready === total) said = ["AllReady", `All ${total} widgets are ready`];
  else if (ready > 0) said = ["PartiallyReady", `${ready}/${total} widgets are ready`];
  const [reason, message] = said;
  return {
    observedGeneration: shelf.metadata.generation,
    widgets: total,
    ready,
    conditions: [condition(shelf, "Ready", total > 0 && ready === total, reason, reason, message)],
  };
}

function condition(object, type, holds, yes, no, message) {
  const status = holds ? "True" : "False";
  const old = object.status?.conditions?.find((one) => one.type === type);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now();
  const { generation } = object.metadata;
  return { type, status, observedGeneration: generation, lastTransitionTime, reason: holds ? yes : no, message };
}

const now = () => `${new Date().toISOString().slice(0, 19)}Z`;

async function write(plural, object, status) {
  if (same(object.status, status)) return;
  const { namespace, name } = object.metadata;
  const where = { group, version, plural, namespace, name, fieldManager: "operator" };
  if (flags.write === "patch") {
    await api.patchNamespacedCustomObjectStatus(
      { ...where, body: { status } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
  } else {
    await api.replaceNamespacedCustomObjectStatus({ ...where, body: { ...object, status } });
  }
}

/** Equal values, whatever the order of their members. */
function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => same(a[name], b[name]));
}

/** Tells when the first round is done. */
function counting() {
  done += 1;
  if (done === Number(flags.expect)) console.log(`reconciled ${done}`);
}
