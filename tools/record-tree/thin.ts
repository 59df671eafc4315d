// Makes a recording of a tree that is drawn over and over small: pictures that show nothing new are left out. Pure.

/** Seconds since the beginning, and what was written then. */
export type Event = readonly [at: number, text: string];

interface Picture {
  readonly at: number;
  readonly text: string;
  /** Lines that the next one takes back. */
  readonly height: number;
}

/**
 * What stands before the second picture is as it was. From there on at least a second lies between two pictures, and five where only ages
 * differ; the last is always there.
 */
export function thin(events: readonly Event[]): readonly Event[] {
  const [first, ...pictures] = picturesIn(events);
  if (first === undefined) return [];
  const kept: Picture[] = [first];
  for (const [i, picture] of pictures.entries()) {
    const before = kept.at(-1) ?? first;
    const isNews = ageless(before.text) !== ageless(picture.text);
    const isLast = i === pictures.length - 1;
    if (isLast || picture.at - before.at >= (isNews ? 1 : 5)) kept.push(picture);
  }
  const later = kept.slice(1).map(({ at, text }, i): Event => {
    return [at, `\u001b[${kept[i]?.height ?? 0}A\r\u001b[0J${text}`];
  });
  return [...beginning(events, first.text.length), ...later];
}

/** Events up to there, the last of them cut off. */
function beginning(events: readonly Event[], length: number): readonly Event[] {
  let left = length;
  return events.flatMap(([at, text]): Event[] => {
    const part = text.slice(0, left);
    left -= part.length;
    return part === "" ? [] : [[at, part]];
  });
}

/** The first has everything before it, and begins when that ends. */
function picturesIn(events: readonly Event[]): readonly Picture[] {
  const all = events.map(([, text]) => text).join("");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a screen is moved by
  const marks = [...all.matchAll(/\u001b\[(\d+)A\r\u001b\[0J/g)];
  const starts = [0, ...marks.map(({ index, 0: mark }) => index + mark.length)];
  return starts.map((start, i) => ({
    at: timeOf(events, marks[i - 1]?.index ?? Math.max(0, (marks[0]?.index ?? all.length) - 1)),
    text: all.slice(start, marks[i]?.index),
    height: Number(marks[i]?.[1] ?? 0),
  }));
}

function timeOf(events: readonly Event[], offset: number): number {
  let end = 0;
  for (const [at, text] of events) {
    end += text.length;
    if (end > offset) return at;
  }
  return events.at(-1)?.[0] ?? 0;
}

/** How long something has been so changes every second. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colour of an age
const ageless = (text: string): string => text.replace(/\u001b\[90m[\dsmhd ]+\u001b\[0m/g, "");
