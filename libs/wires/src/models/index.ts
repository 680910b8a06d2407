// Model lists in three formats.
export { modelOfShow, showOllamaModel } from "./ollama-show.ts";
export { modelLists, type ListedModel, type ModelList } from "./lists.ts";
