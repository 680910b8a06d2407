import { expect, test } from "vitest";
import { failures } from "../src/index.ts";

test("FAILURES.md says what the registry says (run vitest with -u after a change)", async () => {
  const rows = Object.entries(failures).map(
    ([code, { status, type, alpha, gamma, retryable, message }]) =>
      `| \`${code}\` | ${status} | ${type} | ${alpha} | ${gamma} | ${retryable ? "yes" : "no"} | ${message} |`,
  );
  const page = [
    "# Failures",
    "",
    "Every cause of a failed request, and how each family of clients sees it. Bodies: `src/failures/render.ts`.",
    "",
    "| code (`error.code`) | status | common `type` | alpha `type` | gamma `status` | retry helps | says |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../FAILURES.md");
});
