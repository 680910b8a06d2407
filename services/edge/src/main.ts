import { runProcess } from "@modelgate/platform";
import { service } from "./service.ts";

await runProcess(() => Promise.resolve([service]));
