export * from "./createRecord.js"; // Creates a record and returns it with its new id.
export * from "./deleteRecord.js"; // Deletes a record for good.
export * from "./describeObject.js"; // Lists the fields of an object type and how many records there are.
export * from "./exportReport.js"; // Exports a report as a file.
export * from "./getRecord.js"; // Reads one record with all its fields.
export * from "./query.js"; // Finds the records of one type whose fields have given values, in the order of their ids.
export * from "./recentChanges.js"; // Lists what was changed in the CRM since it started, newest first, one change a line.
export * from "./runBackup.js"; // Writes a backup of all records, which takes as many seconds as asked for.
export * from "./updateRecord.js"; // Sets fields of a record.
