export interface StatFileInput {
 path: string // Path in the files folder, such as ./workspace/leads.csv.
}
export type StatFileOutput = {
 kind: "file"|"folder"|"other"
 size: integer // Bytes.
 modifiedMs: integer // Milliseconds since 1970.
}
/** read: Says what a path is, its size and when it changed. In a script use fs.stat. */
export const statFile = tool<StatFileInput, StatFileOutput>("mcpfs__stat_file")
