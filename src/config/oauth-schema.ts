import { z } from "zod";
import { text } from "./schema-parts.ts";

const GRANTS = ["authorization_code", "client_credentials"] as const;

const oauthObject = z.looseObject(
  {
    grant: z
      .enum(GRANTS, { error: GRANTS.join(" or ") })
      .describe(
        "client_credentials: mcpfs signs in itself, with clientId and clientSecret. Default: authorization_code, a person in a browser.",
      )
      .optional(),
    clientId: text
      .describe("A client registered by hand. Default: mcpfs registers itself, where it may.")
      .optional(),
    clientSecret: text.describe("Its secret; best a variable of the environment.").optional(),
    scopes: z
      .union([text, z.array(text)], { error: "a list of texts, or texts separated by spaces" })
      .describe("What to ask for. Default: what the server asks for.")
      .optional(),
    issuer: text
      .describe("The one authorization server that may be used. Default: the one that the server names.")
      .optional(),
    callbackPort: z
      .int({ error: "a port" })
      .min(1, { error: "a port" })
      .max(65_535, { error: "a port" })
      .describe(
        "Port of the redirect address http://127.0.0.1:<port>/callback, where it is registered by hand. Default: any that is free.",
      )
      .optional(),
  },
  { error: "an object that says how to sign in" },
);

/** The schema of `oauth` of a server's entry. */
export const oauthSchema: z.ZodType<OAuthClientShape> = oauthObject;

/** The keys that it may have. */
export const OAUTH_KEYS: readonly string[] = Object.keys(oauthObject.shape);

/** What {@link oauthSchema} lets through. */
export interface OAuthClientShape {
  readonly grant?: (typeof GRANTS)[number] | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scopes?: string | readonly string[] | undefined;
  readonly issuer?: string | undefined;
  readonly callbackPort?: number | undefined;
}
