export interface RenameFileInput {
 from: string // Path in the files folder, such as ./workspace/leads.csv.
 to: string // Path in the files folder, such as ./workspace/leads.csv.
}
export type RenameFileOutput = null
/** destructive: Gives a file or folder another path; a file at that path is replaced. In a script use fs.rename. */
export const renameFile = tool<RenameFileInput, RenameFileOutput>("mcpfs__rename_file")
