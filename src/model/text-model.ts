/** What a language model is asked: a conversation that it goes on with. */
export interface ModelRequest {
  /** What holds for the whole conversation. */
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** Tokens of the answer at most. */
  readonly maxTokens: number;
  /** 0 where nothing is said: the likeliest answer. */
  readonly temperature?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[];
}

/** One turn of a conversation. */
export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What a model answered. Untrusted. */
export interface ModelAnswer {
  readonly text: string;
  /** The model's name, as whoever answered says it. */
  readonly model: string;
  /** True where the answer ended because it may not be longer. */
  readonly isCut: boolean;
  /** As it was reported, else estimated. */
  readonly tokens: ModelTokens;
}

/** What one request to a model, or several, took. */
export interface ModelTokens {
  readonly input: number;
  readonly output: number;
}

/** A language model that the host can ask: an endpoint of the config, or the model of the client that is served. */
export interface TextModel {
  /** @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED */
  readonly answer: (request: ModelRequest, signal: AbortSignal) => Promise<ModelAnswer>;
}
