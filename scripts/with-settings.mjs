// Runs a built program in this very process, with the settings of .env and of a running `npm start`:
// node scripts/with-settings.mjs dist/worker.js [arguments]. Signals, exit code and arguments are the program's own.
// Node's own --env-file-if-exists does not do: it takes an empty value for a set one, and always uses both files.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { addSettings, readSettings } from './lib/file-settings.mjs'

addSettings(process.env, readSettings('.env')) // what the shell sets wins

// `npm start` writes this file and removes it at its end. Its settings belong together. With another database its
// encryption keys and its Temporal are wrong, so then none of them is used.
const running = readSettings(path.join('.data', 'service.env'))
const { DATABASE_URL: url, DATABASE_URL_FILE: urlFile } = process.env
const isOfRunning = !urlFile && (!url || url === running.DATABASE_URL)
if (isOfRunning) addSettings(process.env, running)

process.argv.splice(1, 1)
await import(pathToFileURL(path.resolve(process.argv[1] ?? '')).href)
