import OpenAI from "openai";

const client = new OpenAI({ baseURL: "http://127.0.0.1:28296/v1", apiKey: "sk-demo-0123456789abcdef" });
const stream = await client.chat.completions.create({
  model: "demo-claude",
  stream: true,
  messages: [{ role: "user", content: "Hello" }],
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");
