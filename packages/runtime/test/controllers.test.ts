import { Site } from "./site.ts";
import { controllers } from "./suite.ts";
import { world } from "./world.ts";

controllers(() => world({ kinds: [Site] }));
