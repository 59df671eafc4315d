// A count that is given as a number or as a share of a total: `maxSurge: 1`, `maxUnavailable: 25%`.

/** The count, or undefined when the value is neither a whole number from 0 nor a percentage. As in Kubernetes, `"5"` is neither. */
export function resolveIntOrPercent(value: number | string, total: number, round: "up" | "down"): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const percent = /^(\d{1,9})%$/.exec(value)?.[1];
  if (percent === undefined) return undefined;
  const share = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
