import { expect, test } from "vitest";
import { checkConfiguration } from "@modelgate/contracts";

const problemsOf = (models: object): readonly (readonly [path: string, message: string])[] => {
  const channels = [{ id: "main", provider: "openai", models: ["plain"] }];
  const { problems = [] } = checkConfiguration({ groups: {}, models: { ...all, ...models }, channels });
  return problems.map(({ path, message }) => [path, message]);
};

const all = {
  plain: { kind: "chat" },
  spare: { kind: "chat" },
  split: { kind: "chat", shares: { plain: 1 } },
  vectors: { kind: "embedding" },
  "vectors-spare": { kind: "embedding" },
  film: { kind: "video" },
};

test.each([
  [{ a: { kind: "chat", fallbacks: ["plain", "spare"] } }, []],
  [{ a: { kind: "embedding", fallbacks: ["vectors-spare"] } }, []],
  [{ a: { kind: "chat", shares: { plain: 0.9, spare: 0.1 }, fallbacks: ["spare"] } }, []],
  [{ a: { kind: "chat", fallbacks: ["missing"] } }, [["models.a.fallbacks[0]", "is not in models: missing"]]],
  [{ a: { kind: "chat", fallbacks: ["a"] } }, [["models.a.fallbacks[0]", "is the model itself"]]],
  [
    { a: { kind: "chat", fallbacks: ["plain", "plain"] } },
    [["models.a.fallbacks[1]", "appears more than once: plain"]],
  ],
  [{ a: { kind: "chat", fallbacks: ["vectors"] } }, [["models.a.fallbacks[0]", "is for embedding, not chat: vectors"]]],
  [{ a: { kind: "chat", fallbacks: ["split"] } }, [["models.a.fallbacks[0]", "also has shares: split"]]],
  [
    { a: { kind: "video", fallbacks: ["film"] } },
    [["models.a.fallbacks[0]", "is not for models of kind video and realtime"]],
  ],
  [
    { a: { kind: "embedding", shares: { vectors: 1 } } },
    [["models.a.shares.vectors", "is for models of kind chat and completion"]],
  ],
])("%j", (models, problems) => {
  expect(problemsOf(models)).toEqual(problems);
});
