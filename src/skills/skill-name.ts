/** Longest name and description that the Agent Skills specification allows, in characters. */
const MAX_NAME_LENGTH = 64;
const MAX_DESCRIPTION_LENGTH = 1024;

/** The rule of the Agent Skills specification that a name breaks, as a sentence; `undefined` for a good name. */
export function nameProblem(name: string): string | undefined {
  const shown = JSON.stringify(name);
  if (name === "") return "A skill needs a name.";
  if (name.length > MAX_NAME_LENGTH)
    return `A skill's name has at most ${MAX_NAME_LENGTH} characters; this one has ${name.length}.`;
  if (/[^a-z0-9-]/.test(name))
    return `A skill's name has only small letters a–z, digits and hyphens, unlike ${shown}.`;
  if (name.startsWith("-") || name.endsWith("-"))
    return `A skill's name begins and ends with a letter or digit, unlike ${shown}.`;
  if (name.includes("--")) return `A skill's name has no two hyphens in a row, unlike ${shown}.`;
  // Legal in the specification, and a folder that Windows cannot make.
  if (/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name))
    return `${shown} is the name of a device on Windows, and no folder can have it.`;
  return undefined;
}

/** The rule that a description breaks, as a sentence; `undefined` for a good one. */
export function descriptionProblem(description: string): string | undefined {
  if (description.trim() === "")
    return "A skill needs a description that says what it does and when to use it.";
  const { length } = description;
  return length > MAX_DESCRIPTION_LENGTH
    ? `A skill's description has at most ${MAX_DESCRIPTION_LENGTH} characters; this one has ${length}.`
    : undefined;
}
