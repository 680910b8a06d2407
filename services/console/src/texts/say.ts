export { translate as say, translateTerm as sayWord, type TextKey } from "./translate.ts";
