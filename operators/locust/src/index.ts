export { LocustTest, type LocustTestStatus } from "./kinds/locust-test.ts";
