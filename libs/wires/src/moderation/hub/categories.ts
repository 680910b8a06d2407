/** What is looked for, with the description that a model without training for it gets. */
export const categories = {
  harassment: "harassing language towards any target",
  "harassment/threatening": "harassment that also holds violence or serious harm towards any target",
  sexual: "content meant to arouse, or that promotes sexual services; not education or wellness",
  "sexual/minors": "sexual content with anyone under 18 years old",
  hate: "hate because of race, gender, ethnicity, religion, nationality, sexual orientation, disability or caste",
  "hate/threatening": "hate that also holds violence or serious harm towards such a group",
  illicit: "advice or instruction on how to commit wrongdoing",
  "illicit/violent": "advice on wrongdoing that also holds violence or the getting of a weapon",
  "self-harm": "content that promotes or shows acts of self-harm, such as suicide, cutting and eating disorders",
  "self-harm/intent": "the speaker engages in self-harm or means to",
  "self-harm/instructions": "advice or instruction on how to commit self-harm",
  violence: "death, violence or physical injury is shown",
  "violence/graphic": "death, violence or physical injury is shown in graphic detail",
} as const;

export type Category = keyof typeof categories;

/** All categories, in the order of the wire. */
export const categoryNames: readonly Category[] = Object.keys(categories).filter((name): name is Category =>
  Object.hasOwn(categories, name),
);
