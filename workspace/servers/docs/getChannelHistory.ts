import { callMCPTool } from "../../client.js";

export interface GetChannelHistoryInput {
 /** Name of the channel: general or deployments. */
 channel: string;
 /** Messages to return at most. Default 50. (integer ≥ 1) */
 limit?: number;
}

export type GetChannelHistoryOutput = {
 /** Name of the channel. */
 channel: string;
 messages: {
  /** When it was posted, such as 2026-09-14T11:30:00Z. */
  at: string;
  /** Who posted it. */
  user: string;
  /** The message. */
  text: string;
 }[];
};

/** Reads the latest messages of a team channel, oldest first. The channel deployments says when a deployment is complete. (read) */
export function getChannelHistory(input: GetChannelHistoryInput): Promise<GetChannelHistoryOutput> {
  return callMCPTool("docs__get_channel_history", input);
}
