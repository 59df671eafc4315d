// What Go's time package says about a text that is no RFC 3339 time.
const usual = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?Z$/;

/** Whether it is a good time in the form in which Go writes it, by a quick look: nearly all are. The last days of a month are not judged. */
export const isUsualTime = (text: string, form: "seconds" | "micro" = "seconds"): boolean =>
  text.length === (form === "micro" ? 27 : 20) && usual.test(text);

/** The two layouts of the API. */
const layouts = { seconds: "2006-01-02T15:04:05Z07:00", micro: "2006-01-02T15:04:05.000000Z07:00" } as const;

export interface Moment {
  readonly ms: number;
  /** The digits behind the seconds. */
  readonly fraction: string;
}

/** What follows `parsing time "x"` in the message; undefined for a good time. */
export function timeProblem(text: string): string | undefined {
  const parsed = parseGoTime(text);
  return "problem" in parsed ? parsed.problem : undefined;
}

class Unfit extends Error {}

/** Go's time.Parse: piece by piece, so that the refusal names the piece. */
export function parseGoTime(
  text: string,
  form: keyof typeof layouts = "seconds",
): Moment | { readonly problem: string } {
  try {
    return momentOf(text, form);
  } catch (error) {
    if (error instanceof Unfit) return { problem: error.message };
    throw error;
  }
}

function momentOf(text: string, form: keyof typeof layouts): Moment {
  let rest = text;
  const take = (shape: RegExp, piece: string): string => {
    const found = shape.exec(rest)?.[0];
    if (found === undefined)
      throw new Unfit(` as ${quote(layouts[form])}: cannot parse ${quote(rest)} as ${quote(piece)}`);
    rest = rest.slice(found.length);
    return found;
  };
  const outOfRange = (what: string): never => {
    throw new Unfit(`: ${what} out of range`);
  };
  const year = Number(take(/^\d{4}/, "2006"));
  take(/^-/, "-");
  const month = Number(take(/^\d\d/, "01"));
  if (month < 1 || month > 12) outOfRange("month");
  take(/^-/, "-");
  const day = Number(take(/^\d\d/, "02"));
  take(/^T/, "T");
  const hour = Number(take(/^\d\d?/, "15"));
  if (hour > 23) outOfRange("hour");
  take(/^:/, ":");
  const minute = Number(take(/^\d\d/, "04"));
  if (minute > 59) outOfRange("minute");
  take(/^:/, ":");
  const second = Number(take(/^\d\d/, "05"));
  if (second > 59) outOfRange("second");
  const isMicro = form === "micro";
  const fraction = isMicro ? take(/^[.,]\d{6}/, ".000000").slice(1) : (/^[.,](\d+)/.exec(rest)?.[1] ?? "");
  if (!isMicro && fraction !== "") rest = rest.slice(fraction.length + 1);
  const zone = take(/^(?:Z|[+-]\d\d:\d\d)/, "Z07:00");
  if (rest !== "") throw new Unfit(`: extra text: ${quote(rest)}`);
  const [zoneHours = 0, zoneMinutes = 0] = zone === "Z" ? [] : [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (zoneHours > 24) outOfRange("time zone offset hour");
  if (zoneMinutes > 60) outOfRange("time zone offset minute");
  if (day < 1 || day > daysIn(year, month)) outOfRange("day");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000;
  return { ms: date.getTime() + (zone.startsWith("-") ? offset : -offset), fraction };
}

const quote = (text: string): string => JSON.stringify(text);

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
