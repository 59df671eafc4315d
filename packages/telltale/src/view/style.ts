// Colours and marks, where there are any. Pure.
import { stripVTControlCharacters } from "node:util";
import type { Health } from "../world/look.ts";

export type Colour = "green" | "yellow" | "red" | "grey" | "cyan" | "bold";
export type Paint = (colour: Colour, text: string) => string;

const codes: Readonly<Record<Colour, string>> = {
  green: "32",
  yellow: "33",
  red: "31",
  grey: "90",
  cyan: "36",
  bold: "1",
};

export const paintOf = (hasColours: boolean): Paint =>
  hasColours
    ? (colour, text) => (text === "" ? "" : `\u001b[${codes[colour]}m${text}\u001b[0m`)
    : (_colour, text) => text;

export const marks: Readonly<Record<Health, string>> = { well: "✓", busy: "…", bad: "✗", going: "−", unknown: "?" };

export const colours: Readonly<Record<Health, Colour>> = {
  well: "green",
  busy: "yellow",
  bad: "red",
  going: "grey",
  unknown: "grey",
};

/** What others wrote, as one line that a terminal shows and does not obey. */
export const plain = (text: string): string =>
  // What joins emoji, and letters of some scripts, obeys to nothing.
  stripVTControlCharacters(text)
    .replace(/[[\p{Cc}\p{Cf}\s]--[\u200c\u200d]]+/gv, " ")
    .trim();

const segmenter = new Intl.Segmenter();

/** What a reader takes for one character each. */
const charactersOf = (text: string): readonly string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

/** Cut to a width, with a sign that it was. */
export function cutTo(text: string, width: number): string {
  if (width <= 0) return "";
  if (text.length <= width) return text;
  const characters = charactersOf(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

/** Cut in the middle: names that begin alike differ at their ends. */
export function cutWithin(text: string, width: number): string {
  if (text.length <= width || width < 4) return cutTo(text, width);
  const characters = charactersOf(text);
  if (characters.length <= width) return text;
  const tail = Math.floor((width - 1) / 2);
  return [...characters.slice(0, width - 1 - tail), "…", ...characters.slice(-tail)].join("");
}

export function fill(text: string, width: number): string {
  const cut = cutTo(text, width);
  return cut + " ".repeat(Math.max(0, width - charactersOf(cut).length));
}

export function bar(percent: number, width: number): string {
  const full = Math.round((percent / 100) * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} ${String(percent).padStart(3)}%`;
}
