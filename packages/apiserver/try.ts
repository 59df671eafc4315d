import { startApiServer } from "./src/index.ts";
const s = await startApiServer({ log: console.error, controllers: "none", serviceAccounts: true, anonymous: true, listen: { port: 7443 }, tokens: { benchtoken: { username: "bench", uid: "1", groups: ["system:masters", "system:authenticated"], extra: {} } } });
console.log("ready", s.url);
