import { runGatectl } from "./run.ts";

// A reader may stop early (`| head`), which is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});
// `process` is a Terminal.
process.exitCode = await runGatectl(process.argv.slice(2), process);
