// Wires of rerankers.
export { searchesOf } from "./hub/ask.ts";
export { askOfCohereRerank } from "./cohere/ask.ts";
export { cohereCodec } from "./cohere/index.ts";
export { askOfRerank, reliedOfRerank } from "./jina/ask.ts";
export { jinaCodec } from "./jina/index.ts";
