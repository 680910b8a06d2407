import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { unacceptedAdvisories } from "../advisories.ts";

type Answer = { readonly status: number; readonly body: string } | "silence";

async function audit(
  answer: Answer,
  ...words: readonly string[]
): Promise<{ readonly status: number | null; readonly stdout: string }> {
  const registry = createServer((request, response) => {
    request.resume();
    if (answer === "silence") return;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  const address = registry.address();
  const port = typeof address === "object" ? address?.port : 0;
  try {
    const child = spawn(process.execPath, [join(import.meta.dirname, "../audit.ts"), ...words], {
      env: {
        ...process.env,
        pnpm_config_registry: `http://127.0.0.1:${port}/`,
        AUDIT_MS: answer === "silence" ? "300" : "200000",
      },
    });
    const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, "close")]);
    return { status, stdout };
  } finally {
    registry.close();
    registry.closeAllConnections();
  }
}

const url = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
const advisory = (name: string, severity: string): Answer => ({
  status: 200,
  body: JSON.stringify({ [name]: [{ id: 1, url, title: "Reads files", severity, vulnerable_versions: "<99.0.0" }] }),
});

test.each(["high", "critical"])(
  "an advisory of %s severity about a shipped package fails the audit",
  async (severity) => {
    const { status, stdout } = await audit(advisory("express", severity));
    expect(stdout).toContain(`${severity}: express `);
    expect(stdout).toContain(url);
    expect(status).toBe(1);
  },
);

test("a moderate advisory, and one about a package that only tests use, pass", async () => {
  expect(await audit(advisory("express", "moderate"))).toEqual({ status: 0, stdout: "" });
  expect(await audit(advisory("testcontainers", "high"))).toEqual({ status: 0, stdout: "" });
});

test.each<[string, Answer]>([
  ["has no audit endpoint", { status: 405, body: "{}" }],
  ["fails", { status: 500, body: "oops" }],
  ["does not answer in time", "silence"],
])("a registry that %s is reported, and fails only a release", async (_, answer) => {
  const { status, stdout } = await audit(answer);
  expect(stdout).toMatch(/^not checked: .+\n$/);
  expect(status).toBe(0);
  expect((await audit(answer, "--required")).status).toBe(1);
});

test("an accepted advisory passes until its date, and fails after it", () => {
  const report = JSON.stringify({
    advisories: {
      1: {
        module_name: "express",
        severity: "high",
        title: "Reads files",
        url,
        github_advisory_id: "GHSA-aaaa-bbbb-cccc",
        findings: [{ version: "5.3.0", paths: ["services__edge>express"] }],
      },
    },
  });
  const accepted = [{ id: "GHSA-aaaa-bbbb-cccc", until: "2027-01-31", why: "only in a path that is never taken" }];
  expect(unacceptedAdvisories(report, accepted, "2027-01-31")).toEqual([]);
  expect(unacceptedAdvisories(report, accepted, "2027-02-01")).toHaveLength(1);
  expect(unacceptedAdvisories(report, [], "2027-01-31")).toHaveLength(1);
});
