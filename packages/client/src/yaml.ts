// What an apply carries is called YAML. JSON is YAML but for control characters, which YAML does not take as they are.

/** An object as the text of an apply. */
export const yamlOf = (object: unknown): string =>
  JSON.stringify(object).replace(
    /[\u007f-\u009f\ufeff\ufffe\uffff]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
