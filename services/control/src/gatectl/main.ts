import { runGatectl } from "./run.ts";

// The reader may have enough (`| head`): that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// The environment is read by the variables' reader alone.
process.exitCode = await runGatectl(process.argv.slice(2), process);
