export interface WriteFileInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
 text?: string // The content as text.
 base64?: string // The content as bytes in base64.
 append?: boolean // Add to the end of the file. Default false.
}
export type WriteFileOutput = null
/** destructive: Replaces a file in one step, or appends to it; give either text or base64. In a script use fs.writeFile and fs.appendFile. */
export const writeFile = tool<WriteFileInput, WriteFileOutput>("mcpfs__write_file")
