export { records } from "./controller.ts";
