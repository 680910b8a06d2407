// Model lists in three formats.
export { modelLists, type ListedModel, type ModelList } from "./lists.ts";
