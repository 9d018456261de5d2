export interface PostMessageInput {
 channel: string // Name of the channel: general or deployments.
 text: string // The message. (1–4000 chars)
}
export type PostMessageOutput = {
 at: string // When it was posted, such as 2026-09-14T11:30:00Z.
 user: string // Who posted it.
 text: string // The message.
}
/** write: Posts a message to a team channel. Everybody in the channel sees it. */
export const postMessage = tool<PostMessageInput, PostMessageOutput>("docs__post_message")
