/** Address of the gateway, key and model in the settings of a client. */
export interface Gateway {
  readonly address: string;
  readonly key: string;
  readonly model: string;
}

/** Returns the settings for each client program, as on its page in docs/clients. */
export function settingsFor({ address, key, model }: Gateway) {
  return {
    curl: `curl ${address}/v1/chat/completions \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
    "openai (Python)": `from openai import OpenAI
client = OpenAI(base_url="${address}/v1", api_key="${key}")
answer = client.chat.completions.create(model="${model}", messages=[{"role": "user", "content": "Hello"}])
print(answer.choices[0].message.content)`,
    "openai (JS)": `import OpenAI from "openai";
const client = new OpenAI({ baseURL: "${address}/v1", apiKey: "${key}" });
const answer = await client.chat.completions.create({ model: "${model}", messages: [{ role: "user", content: "Hello" }] });
console.log(answer.choices[0].message.content);`,
    "anthropic (Python)": `from anthropic import Anthropic
client = Anthropic(base_url="${address}", api_key="${key}")
answer = client.messages.create(model="${model}", max_tokens=500, messages=[{"role": "user", "content": "Hello"}])
print(answer.content[0].text)`,
    "google (Python)": `from google import genai
client = genai.Client(api_key="${key}", http_options={"base_url": "${address}"})
print(client.models.generate_content(model="${model}", contents="Hello").text)`,
    "Claude Code": `export ANTHROPIC_BASE_URL=${address}
export ANTHROPIC_API_KEY=${key}
claude --model ${model}`,
    Codex: `# ~/.codex/config.toml
model = "${model}"
model_provider = "modelgate"
[model_providers.modelgate]
name = "modelgate"
base_url = "${address}/v1"
env_key = "MODELGATE_KEY"
wire_api = "responses"
# then: export MODELGATE_KEY=${key}`,
    "Gemini CLI": `# ~/.gemini/settings.json: {"security": {"auth": {"selectedType": "gemini-api-key"}}}
export GOOGLE_GEMINI_BASE_URL=${address}
export GEMINI_API_KEY=${key}
gemini --model ${model}`,
    Cursor: `Settings > Models > OpenAI API Key: ${key}
Override OpenAI Base URL: ${address}/v1
Add model: ${model}`,
    "Open WebUI": `export OPENAI_API_BASE_URLS=${address}/v1
export OPENAI_API_KEYS=${key}
open-webui serve`,
    LangChain: `from langchain_openai import ChatOpenAI
model = ChatOpenAI(base_url="${address}/v1", api_key="${key}", model="${model}")
print(model.invoke("Hello").content)`,
  } as const;
}
