// The longest sequence that several sequences have in common.

/** What is looked at grows as the product of the lengths. */
const most = 2 ** 22;

/**
 * For each item of it, where it is in each of the sequences. Of many or long ones it is what the last has in common with
 * what the others have: common, but not always the longest.
 */
export function longestCommon(sequences: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const last = sequences.at(-1);
  if (last === undefined || sequences.length < 3 || sequences.reduce((product, it) => product * it.length, 1) <= most) {
    return longest(sequences);
  }
  const common = longestCommon(sequences.slice(0, -1));
  const items = common.map(([place = -1]) => sequences[0]?.[place] ?? "");
  return longest([items, last]).map(([n = -1, place = -1]) => [...(common[n] ?? []), place]);
}

function longest(sequences: readonly (readonly string[])[]): readonly (readonly number[])[] {
  // `rest` is how long what they have in common is from some places on, for all places from the last to the first.
  const sizes = sequences.map((it) => it.length + 1);
  const rest = new Uint16Array(sizes.reduce((product, size) => product * size, 1));
  const indexOf = (places: readonly number[]) => places.reduce((sum, place, i) => sum * (sizes[i] ?? 1) + place, 0);
  const restAt = (places: readonly number[]) => rest[indexOf(places)] ?? 0;
  const longestFrom = (places: readonly number[]) => {
    if (isMatch(sequences, places)) return 1 + restAt(places.map((place) => place + 1));
    return Math.max(0, ...places.map((_, i) => (isWithin(sequences, places, i) ? restAt(stepped(places, i)) : 0)));
  };
  for (let index = rest.length - 1; index >= 0; index -= 1) rest[index] = longestFrom(placesOf(index, sizes));

  const found: (readonly number[])[] = [];
  let places: readonly number[] = sequences.map(() => 0);
  while (restAt(places) > 0) {
    const here = places;
    if (isMatch(sequences, here)) {
      found.push(here);
      places = here.map((place) => place + 1);
    } else {
      const left = restAt(here);
      const which = here.findIndex((_, i) => isWithin(sequences, here, i) && restAt(stepped(here, i)) === left);
      places = stepped(here, which);
    }
  }
  return found;
}

function placesOf(index: number, sizes: readonly number[]): readonly number[] {
  const places: number[] = [];
  let left = index;
  for (const size of sizes.toReversed()) {
    places.unshift(left % size);
    left = Math.floor(left / size);
  }
  return places;
}

const stepped = (places: readonly number[], which: number): readonly number[] =>
  places.map((place, i) => (i === which ? place + 1 : place));

const isWithin = (sequences: readonly (readonly string[])[], places: readonly number[], which: number): boolean =>
  (places[which] ?? 0) < (sequences[which]?.length ?? 0);

function isMatch(sequences: readonly (readonly string[])[], places: readonly number[]): boolean {
  const item = sequences[0]?.[places[0] ?? -1];
  return item !== undefined && sequences.every((it, i) => it[places[i] ?? -1] === item);
}
