/** Of package.json; a test keeps them in step. */
export const version = "0.1.0";
