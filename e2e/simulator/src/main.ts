import { runProcess } from "@modelgate/platform";

await runProcess(async () => [(await import("./service.ts")).service]);
