import { until, wavHead, type Suite } from "@modelgate/testkit";
import type { Locator, Page } from "playwright-core";
import { another, keys, post } from "./suite-client.ts";

/** Dialog of the console. */
export interface Dialog {
  readonly name: string;
  /** Clicks that open it. */
  readonly open: (page: Page, created: CreatedObjects) => Promise<unknown>;
  /** Returns an element that appears when it is open. */
  readonly shows: (page: Page) => Locator;
  /** Name of the documentation's picture of it. */
  readonly picture?: string;
  /** Clicks after the picture. */
  readonly afterPicture?: (page: Page, created: CreatedObjects) => Promise<unknown>;
}

/** View of the console: a page, or a page after some clicks. */
export interface View extends Omit<Dialog, "open"> {
  readonly path: (created: CreatedObjects) => string;
  readonly open?: Dialog["open"];
  readonly darkPicture?: string;
  /** Dialogs that open on the page. */
  readonly dialogs?: readonly Dialog[];
  /**
   * True if the page is checked by axe on the phone too, because it shows other elements there. Such a page may also
   * have texts whose background is painted by a sibling, which `faultsOfTheme` does not see.
   */
  readonly differsOnPhone?: true;
  readonly isSignedOut?: true;
}

/** Data of `prepareViews` that some views need. */
export interface CreatedObjects {
  readonly requestId: string;
  readonly vendorUrl: string;
}

/** Creates data for the views: for example a call of each model, a video, and an organisation. */
export async function prepareViews(suite: Suite): Promise<CreatedObjects> {
  const called = async (model: string): Promise<string> => {
    const answer = await until(`a call of ${model}`, async () => {
      const answer = await post(suite, another(model), keys.demo, { "x-modelgate-tags": "team=search" });
      return answer.status === 200 && answer;
    });
    return answer.headers.get("x-request-id") ?? "";
  };
  await called("gpt-5-mini");
  await called("gemini-2.5-flash");
  await post(suite, another("absent"));
  await suite.simulator.script("gemini-main", [{ status: 400, errorMessage: "The vendor refuses this." }]);
  await post(suite, another("gemini-2.5-flash"));
  const requestId = await called("claude-sonnet-4-5");
  const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "sora-2", prompt: "A boat", seconds: "4" });
  await fetch(`${suite.edgeUrl}/v1/videos`, { method: "POST", headers, body });
  await suite.ask("operator", "create", "grace", "--role", "operator");
  await suite.ask("account", "top-up", "research", "10", "--reason", "invoice 2026-11");
  await suite.ask("org", "create", "example");
  await suite.ask("team", "create", "example", "search", "--account", "support");
  await suite.ask("org", "invite", "example", "ada", "--team", "search");
  await suite.ask("token", "create", "support", "--group", "default", "--team", "search");
  await suite.ask("alert", "target", "add", "--kind", "pagerduty", "--name", "on call", "--secret", "routing-key");
  const isStored = async (): Promise<boolean> => (await suite.gatectl("usage", "show", requestId)).status === 0;
  await until("the call in the books", isStored);
  return { requestId, vendorUrl: `${suite.simulator.url}/at/new/openai/v1` };
}

const heading =
  (name: string) =>
  (page: Page): Locator =>
    page.getByRole("heading", { name, exact: true, level: 2 });
const button = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
const inDialog = (name: string | RegExp) => (page: Page) => page.getByRole("dialog").getByLabel(name).first();
const at = (path: string) => (): string => path;

function pageAt(name: string, path: string, shows: View["shows"] = heading(name)): View {
  return { name, path: at(path), shows };
}

function form(opener: string, field: string | RegExp): Dialog {
  return { name: opener, open: (page) => button(page, opener), shows: inDialog(field) };
}

function playgroundAfterCall(kind: string, shows: View["shows"], fill: (page: Page) => Promise<unknown>): View {
  return {
    name: `Playground, ${kind}`,
    path: at(`playground?kind=${kind}`),
    async open(page) {
      await fill(page);
      await page.getByRole("button", { name: kind === "realtime" ? "Speak" : "Send" }).click();
      await shows(page).waitFor();
      await button(page, "View code");
    },
    shows,
  };
}

const cost = (page: Page): Locator => page.getByText(/^cost \$/);
const words = (label: string) => (page: Page) =>
  page
    .getByLabel(label, { exact: true })
    .or(page.getByLabel(`${label} *`))
    .fill("A boat");

async function listModels(page: Page, { vendorUrl }: CreatedObjects): Promise<void> {
  await page.getByRole("combobox", { name: "Vendor" }).click();
  await page.getByRole("option", { name: "Other, with OpenAI's formats" }).click();
  await page.getByLabel("Address").fill(vendorUrl);
  await page.getByRole("dialog").getByLabel(/^Key/).fill("sk-of-views-0123456789");
  await button(page, "List its models");
  await page.getByRole("checkbox", { name: "demo-chat" }).check();
  await page.getByRole("button", { name: "Save 1 model" }).waitFor();
}

async function askTwoModels(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: "claude-sonnet-4-5" }).click();
  await words("Message")(page);
  await button(page, "Send");
  await cost(page).nth(1).waitFor();
}

/** A second of silence. */
const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000), Buffer.alloc(16_000)]);

const createdKey: Dialog = {
  name: "A key that was made",
  picture: "new-key",
  async open(page) {
    await button(page, "Create key");
    await inDialog(/^Name/)(page).fill("laptop");
    await button(page, "Create");
    await button(page, "Send a test call");
  },
  shows: (page) => page.getByText("Answer"),
};

const newVendor: Dialog = {
  name: "Add a vendor",
  async open(page) {
    await button(page, "Add a vendor");
    await page.getByRole("combobox", { name: "Vendor" }).click();
    await page.getByRole("option", { name: "OpenAI", exact: true }).click();
  },
  shows: inDialog("Address"),
  picture: "add-vendor",
  afterPicture: listModels,
};

const otherSettings = "Other settings, as JSON";

/** All views of the console that are tested in light and dark mode, by keyboard and on a phone. */
export const views: readonly View[] = [
  { ...pageAt("Sign in", "sign-in", (page) => page.getByText("Open the sign-in link")), isSignedOut: true },
  {
    ...pageAt("Overview", "overview", (page) => page.getByRole("table", { name: "Models by spend" })),
    picture: "overview",
    darkPicture: "overview-dark",
    async afterPicture(page) {
      await page.evaluate('history.pushState({}, "", "?span=7d&by=tag%3Ateam")');
      await page.getByRole("link", { name: "search" }).waitFor();
    },
    differsOnPhone: true, // the navigation and the choice of a span
  },
  {
    ...pageAt("Calls", "calls?span=7d", (page) => page.getByRole("table", { name: "Calls", exact: true })),
    picture: "calls",
    async afterPicture(page) {
      await page.evaluate('history.pushState({}, "", "?span=1d")'); // axe takes long for many rows
      await page.getByRole("table", { name: "Refused calls" }).waitFor();
    },
    differsOnPhone: true, // the choice of a span
  },
  {
    name: "A call",
    picture: "call",
    path: ({ requestId }) => `calls/${requestId}`,
    shows: (page) => page.getByText("The channel added headers.x-tenant, defaults.user"),
  },
  { ...pageAt("Accounts and keys", "accounts"), picture: "accounts", dialogs: [form("Create account", /^Id/)] },
  {
    ...pageAt("An account", "accounts/acme", (page) => page.getByRole("cell", { name: "production", exact: true })),
    picture: "account",
    dialogs: [
      createdKey,
      { ...form("Edit the key production", /^Name/), picture: "edit-key" },
      form("Rotate the key production", "Old key expires after"),
    ],
  },
  {
    ...pageAt("Organisations", "organisations", (page) => page.getByRole("table", { name: "Organisations" })),
    picture: "organisations",
    dialogs: [form("Create organisation", /^Id/)],
  },
  {
    ...pageAt("An organisation", "organisations/example", (page) => page.getByRole("region", { name: "Team search" })),
    picture: "organisation",
    dialogs: [form("Create team", /^Id/)],
  },
  { ...pageAt("Video tasks", "tasks", (page) => page.getByText("completed").first()), picture: "tasks" },
  {
    ...pageAt("Models", "models", (page) => page.getByRole("table", { name: "Groups" })),
    picture: "models",
    dialogs: [
      { ...form("Edit the model gpt-5-mini", otherSettings), picture: "edit-model" },
      form("Add a group", otherSettings),
    ],
  },
  {
    ...pageAt("Channels", "channels", (page) => page.getByRole("img", { name: /^First byte/ }).first()),
    picture: "channels",
    dialogs: [form("Edit the channel openai-main", otherSettings), newVendor],
  },
  {
    ...pageAt("Configuration", "configuration", (page) => page.getByRole("table", { name: "Versions" })),
    picture: "configuration",
    async afterPicture(page) {
      await button(page, "show version 1");
      await page.getByLabel("Changes in version 1").waitFor();
    },
  },
  {
    ...pageAt("Operators", "operators", (page) => page.getByRole("table", { name: "Active sessions" })),
    picture: "operators",
    dialogs: [form("Create operator", /^Name/)],
  },
  { ...pageAt("System", "system", (page) => page.getByRole("table", { name: "Services" })), picture: "system" },
  {
    ...pageAt("Alerts", "alerts", (page) => page.getByRole("table", { name: "Alert targets" })),
    picture: "alerts",
    dialogs: [form("Add target", /^Name/)],
  },
  { ...pageAt("Audit", "audit", (page) => page.getByRole("table").first()), picture: "audit" },
  {
    ...pageAt("Playground, chat", "playground", (page) => cost(page).first()),
    open: askTwoModels,
    picture: "playground",
    afterPicture: (page) => button(page, "View code"),
  },
  playgroundAfterCall("image", (page) => page.getByAltText("Generated image"), words("Prompt")),
  playgroundAfterCall("speech", (page) => page.getByLabel("Generated audio"), words("Text to speak")),
  playgroundAfterCall("transcription", cost, (page) =>
    page.locator('input[type="file"]').setInputFiles({ name: "words.wav", mimeType: "audio/wav", buffer: silence }),
  ),
  playgroundAfterCall("video", (page) => page.getByLabel("Generated video"), words("Prompt")),
  playgroundAfterCall(
    "realtime",
    (page) => page.getByText("The microphone is on."),
    () => Promise.resolve(),
  ),
];
