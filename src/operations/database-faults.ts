/** What an error says of the database, for the api and the command line, which must not know the database themselves. */
export { isUnavailable, isUnknownDatabase, isUnknownTable, databaseAdvice } from '../db/connection/errors.ts'
