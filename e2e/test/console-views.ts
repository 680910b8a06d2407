import { until, wavHead, type Suite } from "@modelgate/testkit";
import type { Locator, Page } from "playwright-core";
import { hello, keys, post } from "./suite-client.ts";

/** View of the console: a page, or a page after some clicks. */
export interface View {
  readonly name: string;
  readonly path: (made: Made) => string;
  /** Clicks that open the view. */
  readonly open?: (page: Page, made: Made) => Promise<unknown>;
  /** Returns an element that appears when the view is open. */
  readonly shows: (page: Page) => Locator;
  /** True if a phone shows other elements than a large screen. The phone's page is then also checked by all rules. */
  readonly differsOnPhone?: true;
  /**
   * True if the background of a text is painted by a sibling, which `faultsOfTheme` does not see. axe then checks dark
   * mode.
   */
  readonly hasSiblingBackground?: true;
  readonly isSignedOut?: true;
}

/** Data of `prepareViews` that some views need. */
export interface Made {
  readonly requestId: string;
  readonly vendorUrl: string;
}

/** Creates data for the views: for example a call with a tag, a video, and an organisation. */
export async function prepareViews(suite: Suite): Promise<Made> {
  const call = (): Promise<Response> => post(suite, hello("chat"), keys.demo, { "x-modelgate-tags": "team=search" });
  const answer = await until("a first call", async () => {
    const answer = await call();
    return answer.status === 200 && answer;
  });
  const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "film", prompt: "A boat", seconds: "4" });
  await fetch(`${suite.edgeUrl}/v1/videos`, { method: "POST", headers, body });
  await suite.ask("token", "create", "demo", "--group", "default", "--name", "laptop");
  await suite.ask("operator", "create", "vic", "--role", "viewer");
  await suite.ask("org", "create", "example");
  await suite.ask("team", "create", "example", "search", "--account", "poor");
  await suite.ask("org", "invite", "example", "ada", "--team", "search");
  await suite.ask("token", "create", "poor", "--group", "default", "--team", "search");
  await until("the call in the books", async () => (await suite.ask<object[]>("usage")).length > 0);
  return { requestId: answer.headers.get("x-request-id") ?? "", vendorUrl: `${suite.simulator.url}/at/new/openai/v1` };
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

function form(opener: string, path: string, field: string | RegExp): View {
  return { name: opener, path: at(path), open: (page) => button(page, opener), shows: inDialog(field) };
}

function playgroundAfterCall(kind: string, shows: View["shows"], fill: (page: Page) => Promise<unknown>): View {
  return {
    name: `Playground, ${kind}`,
    path: at(`playground?kind=${kind}`),
    async open(page) {
      await fill(page);
      await page.getByRole("button", { name: kind === "realtime" ? "Speak" : "Send" }).click();
      await shows(page).waitFor();
      await button(page, "As code");
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

async function listModels(page: Page, { vendorUrl }: Made): Promise<void> {
  await button(page, "Add a vendor");
  await page.getByRole("combobox", { name: "Vendor" }).click();
  await page.getByRole("option", { name: "Other, with OpenAI's formats" }).click();
  await page.getByLabel("Address").fill(vendorUrl);
  await page.getByRole("dialog").getByLabel(/^Key/).fill("sk-of-views-0123456789");
  await button(page, "List its models");
  await page.getByRole("checkbox", { name: "demo-chat" }).check();
}

/** A second of silence. */
const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000), Buffer.alloc(16_000)]);

/** All views of the console that are tested in light and dark mode, by keyboard and on a phone. */
export const views: readonly View[] = [
  { ...pageAt("Sign in", "sign-in", (page) => page.getByText("Open the sign-in link")), isSignedOut: true },
  {
    ...pageAt("Overview", "overview?span=1d", (page) => page.getByRole("table", { name: "Models by spend" })),
    differsOnPhone: true, // the navigation and the choice of a span
    hasSiblingBackground: true,
  },
  {
    ...pageAt("Overview by tag", "overview?span=7d&by=tag%3Ateam", (page) =>
      page.getByRole("link", { name: "search" }),
    ),
    hasSiblingBackground: true,
  },
  {
    ...pageAt("Calls", "calls?span=1d", (page) => page.getByRole("table", { name: "Calls" })),
    differsOnPhone: true, // the choice of a span
  },
  pageAt("Calls that none match", "calls?span=1d&model=absent", (page) => page.getByText("No calls match.")),
  {
    name: "A call",
    path: ({ requestId }) => `calls/${requestId}`,
    shows: (page) => page.getByText("The channel added headers.x-tenant, defaults.user"),
  },
  pageAt("Accounts and keys", "accounts"),
  form("Create account", "accounts", /^Id/),
  pageAt("An account", "accounts/demo", (page) => page.getByRole("cell", { name: "laptop", exact: true })),
  form("Create key", "accounts/demo", /^Name/),
  {
    name: "A key that was made",
    path: at("accounts/demo"),
    async open(page) {
      await button(page, "Create key");
      await button(page, "Create");
      await button(page, "Make the first call");
    },
    shows: (page) => page.getByText("Answer"),
  },
  form("Edit the key laptop", "accounts/demo", /^Name/),
  form("Rotate the key laptop", "accounts/demo", "The old key still works for"),
  pageAt("Organisations", "organisations", (page) => page.getByRole("table", { name: "Organisations" })),
  form("Create organisation", "organisations", /^Id/),
  pageAt("An organisation", "organisations/example", (page) => page.getByRole("region", { name: "Team search" })),
  form("Create team", "organisations/example", /^Id/),
  pageAt("Video tasks", "tasks", (page) => page.getByText("completed").first()),
  pageAt("Models", "models", (page) => page.getByRole("table", { name: "Groups" })),
  form("Add a model", "models", "Other settings, as JSON"),
  form("Edit the model chat", "models", "Other settings, as JSON"),
  form("Add a group", "models", "Other settings, as JSON"),
  pageAt("Channels", "channels", (page) => page.getByRole("img", { name: /^First byte/ }).first()),
  form("Add a channel", "channels", "Other settings, as JSON"),
  form("Edit the channel main", "channels", "Other settings, as JSON"),
  {
    name: "Add a vendor",
    path: at("channels"),
    open: listModels,
    shows: (page) => page.getByRole("button", { name: "Save 1 model" }),
  },
  pageAt("Configuration", "configuration", (page) => page.getByRole("table", { name: "Versions" })),
  {
    name: "A version of the configuration",
    path: at("configuration"),
    open: (page) => button(page, "show version 1"),
    shows: (page) => page.getByLabel("Difference of version 1"),
  },
  pageAt("Operators", "operators", (page) => page.getByRole("table", { name: "Open sessions" })),
  form("Create operator", "operators", /^Name/),
  pageAt("System", "system", (page) => page.getByRole("table", { name: "Services" })),
  pageAt("Alerts", "alerts", (page) => page.getByRole("heading", { name: "Latest alerts" })),
  form("Add target", "alerts", /^Name/),
  pageAt("Audit", "audit", (page) => page.getByRole("table").first()),
  pageAt("Playground", "playground"),
  playgroundAfterCall("chat", cost, words("Message")),
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
