export interface ListFilesInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
}
export type ListFilesOutput = { name: string; kind: "file"|"folder"|"other" }[]
/** read: Lists what lies in a folder, sorted by name. In a script use fs.readdir. */
export const listFiles = tool<ListFilesInput, ListFilesOutput>("mcpfs__list_files")
