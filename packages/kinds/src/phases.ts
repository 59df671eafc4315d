// The phase machine of a kind: which phases there are, which arrows lead from one to the next, and which phases are final.

/** An arrow that may be taken only by a pass that names its guard. */
export interface GuardedArrow<P extends string = string, G extends string = string> {
  readonly to: P;
  readonly guard: G;
}

export function when<const G extends string, const P extends string>(guard: G, to: P): GuardedArrow<P, G> {
  return { to, guard };
}

type Arrow = string | GuardedArrow;
type Arrows = Readonly<Record<string, readonly Arrow[]>>;

type Target<A> = A extends GuardedArrow<infer P> ? P : A extends string ? A : never;
type PhasesOf<A extends Arrows> = Extract<keyof A, string> | Target<A[keyof A][number]>;
type GuardsOf<A extends Arrows> = A[keyof A][number] extends infer X
  ? X extends GuardedArrow<string, infer G>
    ? G
    : never
  : never;

/** Whether a stored status is final. Takes the status as it is on the wire. */
export type Finality = (status: Readonly<Record<string, unknown>>) => boolean;

export interface Phases<P extends string = string, G extends string = string> {
  readonly names: readonly P[];
  readonly initial: readonly P[];
  readonly arrows: ReadonlyMap<string, readonly { readonly to: string; readonly guard?: string }[]>;
  readonly final: Finality;
  /** The phases that `final` names, where it is a list. */
  readonly finalNames: readonly P[];
  /** Status paths that may still change once final: `observedGeneration`, `conditions.SpecDrifted`. */
  readonly thaw: readonly string[];
  readonly means: Readonly<Partial<Record<P, string>>>;
  readonly "~guards"?: G;
}

export interface PhaseOptions<P extends string> {
  /** Phases that an object without a phase may enter. Default: the first one. */
  readonly initial?: readonly P[];
  readonly final?: readonly P[] | Finality;
  readonly thaw?: readonly string[];
  /** One line for each phase, for people. */
  readonly means?: Readonly<Partial<Record<P, string>>>;
}

/** `phases({ Pending: ["Running", "Failed"], Running: ["Failed"] }, { final: ["Failed"] })` */
export function phases<const A extends Arrows>(
  arrows: A,
  options: PhaseOptions<NoInfer<PhasesOf<A>>> = {},
): Phases<PhasesOf<A>, GuardsOf<A>> {
  const names = new Set<string>(Object.keys(arrows));
  const table = new Map<string, { to: string; guard?: string }[]>();
  for (const [from, targets] of Object.entries(arrows)) {
    table.set(
      from,
      targets.map((arrow) => (typeof arrow === "string" ? { to: arrow } : { to: arrow.to, guard: arrow.guard })),
    );
  }
  for (const targets of table.values()) for (const { to } of targets) names.add(to);
  const finalNames: readonly string[] = typeof options.final === "function" ? [] : (options.final ?? []);
  const list = [...names];
  // The names come from the same record that the type is computed from.
  const built: Phases = {
    names: list,
    initial: options.initial ?? list.slice(0, 1),
    arrows: table,
    final:
      typeof options.final === "function" ? options.final : (status) => finalNames.includes(String(status["phase"])),
    finalNames,
    thaw: options.thaw ?? ["observedGeneration"],
    means: options.means ?? {},
  };
  return built as Phases<PhasesOf<A>, GuardsOf<A>>;
}

/** Why a move is not allowed, or undefined when it is. `from` is undefined before the first phase. */
export function refuseMove(p: Phases, from: string | undefined, to: string, guard?: string): string | undefined {
  if (!p.names.includes(to)) return `${to} is not a declared phase`;
  if (from === to) return undefined;
  if (from === undefined || from === "") {
    return p.initial.includes(to) ? undefined : `a new object starts in ${p.initial.join(" or ")}, not in ${to}`;
  }
  const arrow = p.arrows.get(from)?.find((a) => a.to === to);
  if (arrow === undefined) return `no arrow leads from ${from} to ${to}`;
  if (arrow.guard !== undefined && arrow.guard !== guard) {
    return `the arrow from ${from} to ${to} needs the guard "${arrow.guard}"`;
  }
  return undefined;
}

/** Phases that no path from an initial phase reaches. */
export function unreachable(p: Phases): string[] {
  const reached = reachablePhases(p, p.initial);
  return p.names.filter((name) => !reached.has(name));
}

/** These phases, and all to which arrows lead from them. */
export function reachablePhases(p: Pick<Phases, "arrows">, from: readonly string[]): ReadonlySet<string> {
  const seen = new Set(from);
  const queue = [...from];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const { to } of p.arrows.get(next) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      queue.push(to);
    }
  }
  return seen;
}
