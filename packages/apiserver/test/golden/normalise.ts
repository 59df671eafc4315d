// The answers of a run as a recording keeps them: sorted, with symbols for all that differs from run to run.
import { isObject, type Json, type JsonObject } from "../../src/json.ts";
import type { Case, Recording } from "./case.ts";
import { byCanonical } from "./json.ts";
import type { Part, Run } from "./run.ts";
import { type Kept, select } from "./select.ts";
import { isList, Symbols } from "./symbols.ts";
import type { Target } from "./target.ts";

export function normalise(
  it: Case,
  { variables, results }: Run,
  { host, clock }: Pick<Target, "host" | "clock">,
): Recording {
  const parts = results.flatMap((result) => (result.kind === "parallel" ? result.parts : [result]));
  const kept = new Map(parts.map((part) => [part, select(part)]));
  const walk = walker(new Symbols(it, variables, [...kept.values()], host, clock.now()), variables["group"] ?? "");
  const record = (part: Part): JsonObject => walk.answer(part, kept.get(part) ?? { list: false });
  const steps = results.map((result): JsonObject => {
    if (result.kind !== "parallel") return record(result);
    const answers = result.parts.map(record);
    return { step: result.step, parts: result.unordered ? byCanonical(answers) : answers };
  });
  return { id: it.id, title: it.title, steps };
}

/** Where a value is: in the metadata of a list, in a bookmark, among a Table's columns. */
interface Context {
  readonly list?: boolean;
  readonly bookmark?: boolean;
  readonly columns?: boolean;
}

function walker(symbols: Symbols, group: string) {
  const text = (value: string, key: string): string => symbols.text(value, key === "message" ? "message" : "other");

  const string = (value: string, key: string, context: Context): string => {
    switch (key) {
      case "resourceVersion":
        return symbols.version(value, context.list === true);
      case "continue":
        return value === "" ? "" : "<continue>";
      case "clusterIP":
      case "clusterIPs":
        return /^[\da-f.:]+$/.test(value) && !symbols.says(value)
          ? symbols.symbol("clusterIP", value)
          : text(value, key);
      case "pod-template-hash":
        return symbols.symbol("hash", value);
      case "cells":
        return cell(value);
      default:
        return text(value, key);
    }
  };

  const cell = (value: string): string => {
    if (/^(\d+[ydhms])+$/.test(value)) return "<age>";
    if (/^\d+\.\d+\.\d+\.\d+$/.test(value) && !symbols.says(value)) return "<ip>";
    if (/:3\d{4}\//.test(value)) return value.replace(/:3\d{4}\//g, ":<nodePort>/");
    return symbols.has("clusterIP", value) ? symbols.symbol("clusterIP", value) : text(value, "cells");
  };

  /** A group that another case has left behind is no part of the answer. */
  const leftover = (value: Json): boolean =>
    typeof value === "string" &&
    /^g[a-z]\d+[a-z]?-[a-z]{5}\.example\.com(\/|$)/.test(value) &&
    !value.startsWith(group);

  const object = (value: JsonObject, key: string, context: Context): JsonObject => {
    const list = isList(value);
    const result: JsonObject = {};
    for (const name of Object.keys(value).sort()) {
      const inner = value[name] ?? null;
      if (name === "creationTimestamp" && inner === null) continue;
      if (name === "description" && context.columns === true && typeof inner === "string" && isOwnText(inner)) {
        result[name] = "<description>";
        continue;
      }
      const inList =
        name === "metadata" ? list || context.bookmark === true : key === "metadata" && context.list === true;
      result[symbols.text(name, "key")] = any(inner, name, {
        list: value["/type"] === "BOOKMARK" || inList,
        columns: name === "columnDefinitions",
        bookmark: context.bookmark === true || (value["type"] === "BOOKMARK" && name === "object"),
      });
    }
    return result;
  };

  /** Descriptions of built-in columns are long, and not behaviour. */
  const isOwnText = (description: string): boolean =>
    description !== "" && !description.startsWith("Custom resource definition column") && !symbols.says(description);

  const any = (value: Json, key: string, context: Context): Json => {
    if (typeof value === "string") return string(value, key, context);
    if (typeof value === "number") {
      const chosen = /^(nodePort|healthCheckNodePort)$/.test(key) && value >= 30_000 && !symbols.says(String(value));
      return chosen ? symbols.symbol("nodePort", value) : value;
    }
    if (Array.isArray(value)) {
      const items = value.filter((item) => !leftover(item)).map((item) => any(item, key, context));
      return key === "managedFields" ? byCanonical(items) : items;
    }
    return isObject(value) ? object(value, key, context) : value;
  };

  const answer = ({ step, ...part }: Part, kept: Kept): JsonObject => {
    const result: JsonObject = { step };
    if (kept.status !== undefined) result["status"] = kept.status;
    if (kept.headers !== undefined) {
      const headers = Object.entries(kept.headers).map(([name, values]) => {
        const texts = values.map((value) => symbols.text(value, "header"));
        return [name, texts.length === 1 ? (texts[0] ?? "") : texts];
      });
      result["headers"] = Object.fromEntries(headers) as JsonObject;
    }
    if (kept.body !== undefined) result["body"] = any(kept.body, "", {});
    if (kept.text !== undefined) result["text"] = symbols.text(kept.text, "text");
    if (kept.binary !== undefined) result["binary"] = kept.binary;
    if (kept.pointers !== undefined) {
      const pointers = Object.entries(kept.pointers).map(([pointer, value]) => {
        const key = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/");
        const list = kept.list && pointer === "/metadata/resourceVersion";
        const context = { list, columns: pointer.includes("columnDefinitions") };
        return [symbols.text(pointer, "key"), value === undefined ? "<absent>" : any(value, key, context)];
      });
      result["pointers"] = Object.fromEntries(pointers) as JsonObject;
    }
    if (kept.events !== undefined) {
      result["events"] = kept.events.map((event) => any(event, "", {}));
      result["ended"] = kept.ended ?? false;
    }
    if (kept.elapsed !== undefined) result["elapsed"] = kept.elapsed;
    if (part.kind === "response" && part.relations.length > 0) result["relations"] = Object.fromEntries(part.relations);
    return result;
  };
  return { answer };
}
