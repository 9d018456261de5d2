export interface MakeFolderInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
 recursive?: boolean // Default false.
}
export type MakeFolderOutput = null
/** write: Makes a folder; recursive also makes those above it. In a script use fs.mkdir. */
export const makeFolder = tool<MakeFolderInput, MakeFolderOutput>("mcpfs__make_folder")
