import { runGatectl } from "./run.ts";

// Whoever reads the answer may have enough of it (`| head`): nothing is wrong then.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// The environment is read by the variables' reader alone.
process.exitCode = await runGatectl(process.argv.slice(2), process);
