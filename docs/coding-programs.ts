/** A coding program that is installed from npm and run without a terminal. */
export interface CodingProgram {
  /** Its page in docs/clients, without the ending. */
  readonly page: string;
  readonly npmPackage: string;
  readonly command: string;
  /** Arguments of a run that asks `question` and ends. */
  args(question: string): readonly string[];
  /** What its page says to set, for the gateway at `address` (`http://host:port`). */
  env(address: string, key: string): Readonly<Record<string, string>>;
  /** Files of its settings, by their path in the user's folder, where it starts. */
  files?(address: string, key: string): Readonly<Record<string, string>>;
}

const model = "demo-chat";

/** The coding programs that can be had from npm, each with the settings of its page. */
export const programs: readonly CodingProgram[] = [
  {
    page: "claude-code",
    npmPackage: "@anthropic-ai/claude-code@2.1.330",
    command: "claude",
    args: (question) => ["--model", model, "-p", question],
    env: (address, key) => ({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: key }),
  },
  {
    page: "codex",
    npmPackage: "@openai/codex@0.169.0",
    command: "codex",
    args: (question) => ["exec", "--skip-git-repo-check", question],
    env: (_, key) => ({ MODELGATE_KEY: key }),
    files: (address) => ({
      ".codex/config.toml": [
        `model = "${model}"`,
        'model_provider = "modelgate"',
        "[model_providers.modelgate]",
        'name = "modelgate"',
        `base_url = "${address}/v1"`,
        'env_key = "MODELGATE_KEY"',
        'wire_api = "responses"',
      ].join("\n"),
    }),
  },
  {
    page: "gemini-cli",
    npmPackage: "@google/gemini-cli@0.61.0",
    command: "gemini",
    args: (question) => ["-m", model, "--skip-trust", "-p", question],
    env: (address, key) => ({ GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: key }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
  },
  {
    page: "opencode",
    npmPackage: "opencode-ai@1.18.33",
    command: "opencode",
    args: (question) => ["run", "-m", `modelgate/${model}`, question],
    env: () => ({}),
    files: (address, key) => ({
      "opencode.json": JSON.stringify({
        provider: {
          modelgate: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${address}/v1`, apiKey: key },
            models: { [model]: {} },
          },
        },
      }),
    }),
  },
  {
    page: "qwen-code",
    npmPackage: "@qwen-code/qwen-code@0.24.4",
    command: "qwen",
    args: (question) => ["-p", question],
    env: (address, key) => ({ OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }),
  },
  {
    page: "copilot-cli",
    npmPackage: "@github/copilot@1.0.102",
    command: "copilot",
    args: (question) => ["--allow-all-tools", "-p", question],
    env: (address, key) => ({
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model,
    }),
  },
];
