export interface RemoveFileInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
 recursive?: boolean // Also a folder with all in it. Default false.
 force?: boolean // What is missing is fine. Default false.
}
export type RemoveFileOutput = null
/** destructive: Removes a file, or with recursive a folder and all in it. In a script use fs.rm. */
export const removeFile = tool<RemoveFileInput, RemoveFileOutput>("mcpfs__remove_file")
