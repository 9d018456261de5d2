export interface GetChannelHistoryInput {
 channel: string // Name of the channel: general or deployments.
 limit?: integer // Messages to return at most. Default 50. (≥ 1)
}
export type GetChannelHistoryOutput = {
 channel: string // Name of the channel.
 messages: {
  at: string // When it was posted, such as 2026-09-14T11:30:00Z.
  user: string // Who posted it.
  text: string // The message.
 }[]
}
/** read: Reads the latest messages of a team channel, oldest first. The channel deployments says when a deployment is complete. */
export const getChannelHistory = tool<GetChannelHistoryInput, GetChannelHistoryOutput>("docs__get_channel_history")
