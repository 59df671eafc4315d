// Ten rolling updates of six machines, with a kill of their provider in each.
import { rollingUpdates } from "./rolling-updates.ts";

rollingUpdates(10);
