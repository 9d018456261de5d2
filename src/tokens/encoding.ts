/** The encoding in which tokens are counted: OpenAI's, public, and near what the models of other vendors take for JSON and code. */
export const ENCODING = "o200k_base";
