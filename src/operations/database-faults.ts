/** Functions that tell what an error says of the database. The api and the command line may not import db/ themselves. */
export { isUnavailable, isUnknownDatabase, isUnknownTable, databaseAdvice } from '../db/connection/errors.ts'
