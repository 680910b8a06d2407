/** Command line of a coding program for a run without a terminal. */
export interface CodingProgram {
  readonly command: string;
  /** Returns the arguments of a run that asks `question` and ends. */
  args(question: string): readonly string[];
  /** Returns the environment variables of its page, for the gateway at `address`. */
  env(address: string, key: string): Readonly<Record<string, string>>;
  /** Returns its settings files by their path in the user's folder. */
  files?(address: string, key: string): Readonly<Record<string, string>>;
}

const model = "demo-chat";

/** Coding programs by their page in docs/clients, with the settings of that page. */
export const codingPrograms: Readonly<Record<string, CodingProgram>> = {
  aider: {
    command: "aider",
    args: (question) =>
      `--model openai/${model} --no-git --yes-always --no-check-update --no-show-model-warnings --message`
        .split(" ")
        .concat(question),
    env: (address, key) => ({ OPENAI_API_BASE: `${address}/v1`, OPENAI_API_KEY: key }),
  },
  "claude-code": {
    command: "claude",
    args: (question) => ["--model", model, "-p", question],
    env: (address, key) => ({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: key }),
  },
  codex: {
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
  "gemini-cli": {
    command: "gemini",
    args: (question) => ["-m", model, "--skip-trust", "-p", question],
    env: (address, key) => ({ GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: key }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
  },
  opencode: {
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
  "qwen-code": {
    command: "qwen",
    args: (question) => ["-p", question],
    env: (address, key) => ({ OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }),
  },
  "copilot-cli": {
    command: "copilot",
    args: (question) => ["--allow-all-tools", "-p", question],
    env: (address, key) => ({
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model,
    }),
  },
};
