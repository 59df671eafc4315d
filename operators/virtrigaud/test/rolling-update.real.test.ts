// One rolling update of six machines with a kill of their provider. `npm run test:long` does ten.
import { rollingUpdates } from "./rolling-updates.ts";

rollingUpdates(1);
