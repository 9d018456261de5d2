import { callMCPTool } from "../../client.js";

export interface PostMessageInput {
 /** Name of the channel: general or deployments. */
 channel: string;
 /** The message. (1–4000 chars) */
 text: string;
}

export type PostMessageOutput = {
 /** When it was posted, such as 2026-09-14T11:30:00Z. */
 at: string;
 /** Who posted it. */
 user: string;
 /** The message. */
 text: string;
};

/** Posts a message to a team channel. Everybody in the channel sees it. (write) */
export function postMessage(input: PostMessageInput): Promise<PostMessageOutput> {
  return callMCPTool("docs__post_message", input);
}
