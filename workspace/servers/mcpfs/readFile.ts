export interface ReadFileInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
 encoding?: "utf8"|"base64" // Default utf8.
}
export type ReadFileOutput = string
/** read: Reads a whole file as text, or as base64 for bytes. In a script use fs.readFile. */
export const readFile = tool<ReadFileInput, ReadFileOutput>("mcpfs__read_file")
