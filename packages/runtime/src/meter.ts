// Metrics of an operator's own, as it declares and tells them. `prometheus().meter` makes them; an operator never sees how.

export type Labels = Readonly<Record<string, string>>;

/** What one name stands for. */
export type Family =
  | { readonly is: "counter"; readonly help: string; readonly labels: readonly string[] }
  | {
      readonly is: "gauge";
      readonly help: string;
      readonly labels: readonly string[];
      /** Asked at each scrape, in place of being told. */
      readonly read?: () => Iterable<readonly [Labels, number]>;
    }
  | {
      readonly is: "histogram";
      readonly help: string;
      readonly labels: readonly string[];
      readonly buckets: readonly number[];
    };

export type Families<N extends string = string> = Readonly<Record<N, Family>>;

export interface Meter<N extends string = string> {
  /** A counter goes up by the value, a gauge has it, a histogram counts it in. Default: 1. */
  tell(name: N, labels?: Labels, value?: number): void;
}
