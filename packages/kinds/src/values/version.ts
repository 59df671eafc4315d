// Order of versions: of software (`v1.31.0`, `1.31`) and of API versions (`v1beta1`). Two orders that agree on nothing.

/** Semver order, or undefined when either text is no version. Missing numbers are 0; build metadata is ignored. */
export function compareVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined) return undefined;
  for (const at of [0, 1, 2]) {
    const order = compareDigits(left.numbers[at] ?? "0", right.numbers[at] ?? "0");
    if (order !== 0) return order;
  }
  return comparePre(left.pre, right.pre);
}

/** Kubernetes' priority, 1 when `a` goes first: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else by name, `a` before `b`. */
export function compareApiVersions(a: string, b: string): -1 | 0 | 1 {
  const left = apiVersion.exec(a);
  const right = apiVersion.exec(b);
  if (left === null && right === null) return sign(a < b, a > b);
  if (left === null) return -1;
  if (right === null) return 1;
  const [, leftMajor = "", leftStage, leftMinor = ""] = left;
  const [, rightMajor = "", rightStage, rightMinor = ""] = right;
  const stage = stageRank(leftStage) - stageRank(rightStage);
  if (stage !== 0) return sign(stage > 0, stage < 0);
  const major = compareDigits(leftMajor, rightMajor);
  return major !== 0 ? major : compareDigits(leftMinor, rightMinor);
}

type Version = { numbers: readonly string[]; pre: readonly string[] };

const number = "(?:0|[1-9]\\d*)";
const semver = new RegExp(`^v?(${number}(?:\\.${number}){0,2})(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?$`);
const apiVersion = /^v0*(\d+)(?:(alpha|beta)0*(\d+))?$/;

function parse(text: string): Version | undefined {
  const match = semver.exec(text);
  if (match === null) return undefined;
  const [, numbers = "", pre] = match;
  const identifiers = pre?.split(".") ?? [];
  if (identifiers.some((identifier) => identifier === "" || /^0\d+$/.test(identifier))) return undefined;
  return { numbers: numbers.split("."), pre: identifiers };
}

/** A release goes after its pre-releases; identifiers count one by one, numbers before words, fewer before more. */
function comparePre(a: readonly string[], b: readonly string[]): -1 | 0 | 1 {
  if (a.length === 0 || b.length === 0) return sign(a.length === 0 && b.length > 0, b.length === 0 && a.length > 0);
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const leftNumber = /^\d+$/.test(left);
    const rightNumber = /^\d+$/.test(right);
    if (leftNumber !== rightNumber) return leftNumber ? -1 : 1;
    const order = leftNumber ? compareDigits(left, right) : sign(left > right, left < right);
    if (order !== 0) return order;
  }
  return a.length < b.length ? -1 : 0;
}

function stageRank(stage: string | undefined): number {
  return stage === undefined ? 2 : stage === "beta" ? 1 : 0;
}

/** Compares numbers of any length without turning them into floats. */
function compareDigits(a: string, b: string): -1 | 0 | 1 {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return sign(a > b, a < b);
}

function sign(above: boolean, below: boolean): -1 | 0 | 1 {
  return above ? 1 : below ? -1 : 0;
}
