import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { buildConsole, loaded, showPage, visit, visitSignedIn, type Visit } from "./console-browser.ts";
import { config, hello, post } from "./suite-client.ts";

const program = browserProgram();
const password = "correct horse battery staple";

let suite: Suite;
let hooks: Server;
/** Alerts that the webhook received. */
const alerts: any[] = [];
const hookUrl = (): string => `http://127.0.0.1:${Reflect.get(Object(hooks.address()), "port")}/alerts`;

beforeAll(async () => {
  hooks = createServer(async (request, response) => {
    alerts.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(hooks, "listening");
  const limits = { ledger: { watch: { everyMs: 200 }, alerts: { deliverMs: 100 } } };
  suite = await startSuite({ config, limits });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  hooks?.close();
});

/** Makes a call that costs a tenth of a cent. */
async function call(key: string): Promise<number> {
  return (await post(suite, hello("fixed"), key)).status;
}

const alertOf = (scope: string): Promise<unknown> =>
  until(`an alert about ${scope}`, async () => alerts.find((alert) => JSON.stringify(alert).includes(scope)));

describe.skipIf(program === undefined)("a platform team in the console", () => {
  let browser: Browser;
  let ada: Visit;
  let page: Page;
  /** Browser of a second person. Each test signs out. */
  let other: Visit;
  beforeAll(async () => {
    buildConsole();
    browser = await sharedBrowser(program ?? "");
    ada = await visitSignedIn(browser, suite);
    ({ page } = ada);
    other = await visit(browser);
  });
  afterAll(() => closePages(browser));

  const button = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();

  async function fill(page: Page, opener: string, fields: Readonly<Record<string, string>>, action: string) {
    await button(page, opener);
    const dialog = page.getByRole("dialog");
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(new RegExp(`^${label}`)).fill(text);
    await dialog.getByRole("button", { name: action, exact: true }).click();
    return dialog;
  }

  test("creates an organisation with two teams and a budget, invites a person, rotates a key, and gets an alert and an export", async () => {
    await suite.ask("account", "create", "wallet", "--balance", "5");
    await page.getByRole("link", { name: "Alerts" }).click();
    await fill(page, "Add target", { Name: "ops", Address: hookUrl() }, "Add");
    await page.getByText("Copy the secret now").waitFor();
    await page.keyboard.press("Escape");
    await button(page, "Send a test to ops");
    await page.getByText("delivered", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Organisations" }).click();
    await fill(page, "Create organisation", { Id: "acme" }, "Create");
    await page.getByRole("link", { name: "acme" }).click();
    for (const team of ["search", "ads"]) {
      await fill(page, "Create team", { Id: team, "Account that pays": "wallet" }, "Create");
      await page.getByRole("region", { name: `Team ${team}` }).waitFor();
    }
    await fill(page, "Edit ads", { Name: "Advertising" }, "Save");
    await page.getByRole("region", { name: "Team Advertising" }).waitFor();
    await fill(page, "Create team", { Id: "mistake", "Account that pays": "wallet" }, "Create");
    await fill(page, "Edit mistake", {}, "Delete");
    await page.getByRole("button", { name: "Edit mistake" }).waitFor({ state: "detached" });
    const search = page.getByRole("region", { name: "Team search" });
    await search.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("batch");
    await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
    const shown = page.getByRole("dialog").getByLabel("Key", { exact: true });
    const first = (await shown.textContent()) ?? "";
    await page.keyboard.press("Escape");
    await search.getByRole("button", { name: "Create budget" }).click();
    await page
      .getByRole("dialog")
      .getByLabel(/^Amount per period/)
      .fill("0.001");
    await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
    await search.getByRole("cell", { name: "team search" }).waitFor();
    await fill(page, "Edit the budget team:search", { "Amount per period": "0.002" }, "Save");
    await search.getByRole("cell", { name: "$0.002" }).waitFor();
    await page.getByRole("heading", { name: "Budgets of the organisation" }).waitFor();
    await page.getByRole("button", { name: "Create budget" }).first().click();
    await page
      .getByRole("dialog")
      .getByLabel(/^Amount per period/)
      .fill("5");
    await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("cell", { name: "all calls of the organisation" }).waitFor();
    await button(page, "Invite to search");
    await page.getByRole("dialog").getByLabel(/^Name/).fill("mia");
    await page.getByRole("dialog").getByRole("button", { name: "Invite", exact: true }).click();
    const link = (await page.getByLabel("Invitation", { exact: true }).textContent()) ?? "";
    await page.keyboard.press("Escape");

    // The invited person sees only the own team, and calls a model without a key.
    const { page: mia, context } = other;
    await mia.goto(link);
    await button(mia, "Sign in");
    await mia.getByRole("link", { name: "Organisations" }).click();
    await mia.getByRole("link", { name: "acme" }).click();
    await mia.getByRole("region", { name: "Team search" }).waitFor();
    expect(await mia.getByRole("region", { name: "Team Advertising" }).count()).toBe(0);
    expect(await mia.getByRole("link", { name: "Alerts" }).count()).toBe(0);
    await mia.getByRole("link", { name: "Playground" }).click();
    await mia.getByRole("combobox", { name: "Model", exact: true }).click();
    await mia.getByRole("option", { name: "fixed" }).click();
    await mia.getByLabel(/^Message/).fill("Hello of mia");
    await button(mia, "Send");
    await mia.getByText("cost $0.001").waitFor();

    // The replaced key still works. The second call finds the team's budget used up.
    await button(page, "Rotate the key batch");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate", exact: true }).click();
    const second = (await shown.textContent()) ?? "";
    await page.keyboard.press("Escape");
    expect(second).not.toBe(first);
    expect([await call(first), await call(second)]).toEqual([200, 402]);
    await alertOf("team:search");
    await page.getByRole("link", { name: "Alerts" }).click();
    await page
      .getByRole("cell", { name: /search/ })
      .first()
      .waitFor();

    await mia.getByRole("link", { name: "Overview" }).click();
    await mia.getByRole("radiogroup", { name: "Group by" }).getByText("team").click();
    const table = mia.getByRole("table", { name: "Breakdown by team" });
    await table.getByRole("cell", { name: "search", exact: true }).waitFor();
    const report = mia.getByRole("link", { name: "Chargeback as CSV" });
    await until("the link of the report", async () => (await report.getAttribute("href"))?.includes("by=team"));
    const reportUrl = suite.controlUrl + (await report.getAttribute("href"));
    await until("the calls in the report", async () =>
      /^from,to,team,calls,.*\r\n.*,search,2,/.test(await (await context.request.get(reportUrl)).text()),
    );
    // A person of the whole organisation sees its alerts, and may add targets only for own accounts.
    const invitation = await suite.ask<{ url: string }>("org", "invite", "acme", "ora");
    await button(mia, "Sign out");
    await mia.getByLabel("Name").waitFor();
    const ora = mia;
    await ora.goto(invitation.url);
    await button(ora, "Sign in");
    await ora.getByRole("link", { name: "Alerts" }).click();
    await ora
      .getByRole("cell", { name: /search/ })
      .first()
      .waitFor();
    await button(ora, "Add target");
    await ora
      .getByRole("dialog")
      .getByLabel(/^Account/)
      .waitFor();
    expect(await ora.getByLabel(/all accounts/).count()).toBe(0);
    await ora.keyboard.press("Escape");
    await button(ora, "Sign out");
    await ora.getByLabel("Name").waitFor();
    expect([...ada.errors, ...other.errors]).toEqual([]);
  });

  test("an operator is created, signs in with a password, sees no action of others, and everything is in the audit", async () => {
    await page.getByRole("link", { name: "Operators" }).click();
    await page.getByRole("button", { name: "Create operator" }).click();
    await page.getByRole("dialog").getByLabel(/^Name/).fill("vic");
    await page
      .getByRole("dialog")
      .getByLabel(/^Password/)
      .fill("too short");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("password must have 12").waitFor();
    await page
      .getByRole("dialog")
      .getByLabel(/^Password/)
      .fill(password);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("cell", { name: "vic", exact: true }).waitFor();
    await page.getByRole("link", { name: "Audit" }).click();
    await page.getByRole("cell", { name: "Created the operator vic" }).waitFor();

    const { page: vic } = other;
    await vic.goto(`${suite.controlUrl}/console/`);
    await vic.getByLabel("Name").fill("vic");
    await vic.getByLabel(/^Password/).fill("a wrong password");
    await vic.getByRole("button", { name: "Sign in" }).click();
    await vic.getByText("The name or the password is wrong.").waitFor();
    await vic.getByLabel(/^Password/).fill(password);
    await vic.keyboard.press("Enter");
    await vic.getByRole("heading", { name: "Overview" }).waitFor();
    await vic.getByText("vic (viewer)").waitFor();
    expect(await vic.getByRole("link", { name: "Operators" }).count()).toBe(0);
    for (const path of ["accounts", "accounts/demo", "models", "channels", "configuration", "operators"]) {
      await showPage(vic, `${suite.controlUrl}/console/${path}`);
      await vic.getByRole("heading", { level: 2 }).waitFor();
      await loaded(vic);
      const offered = await vic.locator("main button:visible").allInnerTexts();
      const harmless = new Set(["CSV", "Verify receipts", "show"]);
      expect(
        offered.filter((name) => !harmless.has(name)),
        path,
      ).toEqual([]);
    }
    await vic.getByRole("button", { name: "Sign out" }).click();
    await vic.getByLabel("Name").waitFor();
    expect([...ada.errors, ...other.errors]).toEqual([]);
  });

  test("the console is in Chinese if chosen, also after a reload, with control's errors", async () => {
    await suite.ask("account", "create", "zh", "--balance", "5");
    await suite.ask("token", "create", "zh", "--group", "default", "--name", "zh");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "总览" }).waitFor();
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await page.getByRole("link", { name: "审计" }).click();
    await page.getByRole("heading", { name: "审计" }).waitFor();
    await showPage(page, `${suite.controlUrl}/console/accounts/zh`);
    await page.getByRole("button", { name: "编辑密钥 zh" }).click();
    await page.getByLabel(/^模型/).fill("absent");
    await page.getByRole("button", { name: "保存", exact: true }).click();
    const error = page.getByText('此值无效。（原文：There is no model "absent".）');
    await error.waitFor();
    expect(await error.count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Edit the key zh" }).waitFor();
    expect(ada.errors).toEqual([]);
  });
});

describe("a platform team with gatectl", () => {
  const ask = <Data = any>(...words: readonly string[]): Promise<Data> => suite.ask<Data>(...words);

  test("creates an organisation with two teams and budgets, invites people, rotates a key, and gets an alert and exports", async () => {
    for (const account of ["purse", "purse~lab"]) await ask("account", "create", account, "--balance", "5");
    await ask("alert", "target", "add", "--kind", "webhook", "--name", "pager", "--url", hookUrl());
    await ask("org", "create", "globex", "--name", "Globex");
    await ask("team", "create", "globex", "core", "--account", "purse");
    await ask("team", "create", "globex", "lab", "--account", "purse~lab");
    const { url } = await ask("org", "invite", "globex", "gil", "--team", "core");
    expect(url).toContain("/console/sign-in#");
    const { id, key } = await ask("token", "create", "purse", "--group", "default", "--team", "core", "--name", "ci");
    const budget = ["--scope", "team:core", "--period", "month", "--zone", "UTC", "--amount", "0.002"];
    await ask("budget", "create", "purse", ...budget);
    const everyMonth = ["--period", "month", "--zone", "UTC", "--amount"];
    await ask("budget", "create", "purse", "--scope", "organisation:globex", ...everyMonth, "5");
    await ask("budget", "create", "purse", "--scope", "member:core/gil", ...everyMonth, "1");
    const rotated = await ask("token", "rotate", id, "--grace-seconds", "3600");
    expect([await call(key), await call(rotated.key), await call(rotated.key)]).toEqual([200, 200, 402]);
    const lab = await ask("token", "create", "purse~lab", "--group", "default", "--team", "lab");
    expect(await call(lab.key)).toBe(200);
    await alertOf("team:core");
    const listed = () => ask<object[]>("alert", "list", "--account", "purse", "--kind", "budget");
    await until("the alert in the list", async () => JSON.stringify(await listed()).includes("team:core"));

    const byTeam = ["--organisation", "globex", "--by", "team"];
    const teams = async () =>
      (await ask<any[]>("usage", ...byTeam)).map(({ by, sums }) => [by.team, sums.calls, sums.costNanos]);
    const expected = [
      ["core", "2", "2000000"],
      ["lab", "1", "1000000"],
    ];
    await until("the calls in the books", async () => isDeepStrictEqual(await teams(), expected));
    const shared = await ask<object[]>("budget", "list", "purse~lab");
    expect(shared).toMatchObject([{ scope: "organisation:globex", usedNanos: "3000000" }]);
    const own = await ask<any[]>("budget", "list", "purse");
    expect(own.map(({ scope, usedNanos }) => [scope, usedNanos]).toSorted()).toEqual([
      ["member:core/gil", "0"],
      ["organisation:globex", "3000000"],
      ["team:core", "2000000"],
    ]);
    const chargeback = await suite.gatectl("usage", "chargeback", ...byTeam);
    expect(chargeback.stdout).toMatch(/,core,2,.*\r\n.*,lab,1,/);
    expect((await suite.gatectl("usage", "--by", "token,model,day")).stdout).toContain("TOKEN");
    const focus = await suite.gatectl("usage", "export", "--format", "focus", "--account", "purse");
    expect(focus.stdout.split("\r\n")[0]).toContain("BilledCost");
    for (const words of [
      ["usage", "--by", "team"],
      ["org", "delete", "globex"],
      ["team", "delete", "globex", "core"],
    ]) {
      const { status, stderr } = await suite.gatectl(...words, "--json");
      expect(status, words.join(" ")).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
    }
    expect(await ask("team", "rename", "globex", "core", "Core platform")).toMatchObject({
      teams: [{ id: "core", name: "Core platform" }, { id: "lab" }],
    });
  });
});
