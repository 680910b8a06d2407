import { expect, test } from "vitest";
import { failures } from "../src/index.ts";

test("FAILURES.md matches the registry (run vitest with -u after a change)", async () => {
  const rows = Object.entries(failures).map(
    ([code, { status, type, alpha, gamma, retryable, message }]) =>
      `| \`${code}\` | ${status} | ${type} | ${alpha} | ${gamma} | ${retryable ? "yes" : "no"} | ${message} |`,
  );
  const page = [
    "# Failures",
    "",
    "Every cause of a failed request, and its form in each API format. `src/failures/render.ts` renders the bodies.",
    "",
    "| code (`error.code`) | status | `type`, OpenAI's format | `type`, Anthropic's format | `status`, Google's format | retry may help | message |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot("../FAILURES.md");
});
