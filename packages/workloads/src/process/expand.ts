// `$(NAME)` in commands, arguments and variables, as Kubernetes replaces it: what is not defined stays as it is, `$$` is a `$`.

export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf("$", at);
    if (dollar < 0 || dollar === text.length - 1) return out + text.slice(at);
    out += text.slice(at, dollar);
    const next = text[dollar + 1];
    const end = next === "(" ? text.indexOf(")", dollar + 2) : -1;
    if (end >= 0) {
      const name = text.slice(dollar + 2, end);
      out += lookUp(name) ?? `$(${name})`;
      at = end + 1;
    } else {
      out += next === "$" ? "$" : `$${next}`;
      at = dollar + 2;
    }
  }
  return out;
}
